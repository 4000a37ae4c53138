package volsh.fuse;

import org.jspecify.annotations.Nullable;
import volsh.fs.Attributes;

/** Finds whole, uncompressed copies of files on a local disk, which the kernel can read without asking. Thread-safe. */
public interface BackingFiles {
    /** Has none. */
    BackingFiles NONE = file -> null;

    /** Whether no file can ever change: a past state is mounted. */
    default boolean areAllFixed() {
        return false;
    }

    /** A copy with exactly the bytes of this version of a file; null if there is none. Called for each open. */
    @Nullable BackingFile find(Attributes file);

    /** A copy that is in use. */
    interface BackingFile extends AutoCloseable {
        /** Its descriptor in this process, valid until it is closed. */
        int descriptor();

        /** Counts an open of the file that is read from it. */
        void opened();

        /** Says that the kernel no longer reads it. */
        @Override
        void close();
    }
}
