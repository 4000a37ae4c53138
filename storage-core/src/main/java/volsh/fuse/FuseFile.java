package volsh.fuse;

import java.io.IOException;
import java.nio.ByteBuffer;
import volsh.fs.Attributes;

/** An open regular file of a {@link FuseFileSystem}. Thread-safe. */
public interface FuseFile {
    /** The attributes when it was opened. Where the version is new, the kernel drops its pages of the file. */
    Attributes found();

    /** Reads until the target is full or the file ends; returns the bytes read. */
    int read(long offset, ByteBuffer target) throws IOException;

    int write(long offset, ByteBuffer source) throws IOException;

    /** Writes at the end. */
    int append(ByteBuffer source) throws IOException;

    /** A program has closed a descriptor of this file; {@code process} is its thread. */
    void flush(int process) throws IOException;

    void fsync() throws IOException;

    /** The last descriptor is closed. */
    void close() throws IOException;
}
