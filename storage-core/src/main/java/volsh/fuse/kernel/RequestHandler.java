package volsh.fuse.kernel;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import volsh.fuse.Policies;

/** Answers the requests of a mount: {@link Operations} for a volume, {@link FileSystemOperations} for anything else. */
interface RequestHandler {
    /** Answers one request into {@code reply}; false if the kernel expects none. */
    boolean answer(Request in, Reply reply) throws IOException;

    /** The reply was not delivered: closes and releases whatever was opened or lent for it. */
    void undelivered(Reply reply);

    /** Describes the file of a failed request. */
    String words(Request in, Throwable failed);

    AnnouncedEntries told();

    /** How long the kernel may remember names and attributes; null if each reply says so by itself. */
    @Nullable Policies policies();

    /** Lets the kernel remember for longer; null if it never may. */
    default @Nullable LoneCaching lone() {
        return null;
    }
}
