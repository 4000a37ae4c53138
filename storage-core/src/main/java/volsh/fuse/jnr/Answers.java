package volsh.fuse.jnr;

import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;
import volsh.engine.RequestClock;
import volsh.fuse.Errno;
import volsh.fuse.OperationStats;
import volsh.fuse.RequestFailures;

/** The one place where libfuse's calls come in: whatever happens, an error number goes back and no exception. */
final class Answers {
    /** What could not be written out tells of itself for as long as it is there. */
    private static final Set<Operation> WRITE_OUT = EnumSet.of(Operation.WRITE, Operation.FLUSH, Operation.FSYNC, Operation.RELEASE);

    private final OperationStats stats;

    Answers(OperationStats stats) {
        this.stats = stats;
    }

    /** An operation; its result is what libfuse gets. */
    interface Answer {
        int give() throws IOException;
    }

    /** An operation that only succeeds or not. */
    interface Deed {
        void run() throws IOException;
    }

    /** What an operation is about; asked for its words only if it fails. */
    interface Subject {
        String words(Throwable failed);
    }

    int done(Operation operation, Subject subject, Deed deed) {
        return of(operation, subject, () -> {
            deed.run();
            return 0;
        });
    }

    int of(Operation operation, Subject subject, Answer answer) {
        long since = System.nanoTime();
        int result;
        RequestClock.begin(since);
        try {
            result = answer.give();
        } catch (Throwable failed) {
            result = -errno(operation, subject, failed);
            if (RequestFailures.isTrouble(-result) && !WRITE_OUT.contains(operation)) {
                stats.failed(String.valueOf(stats.name(operation.ordinal())), failed);
            }
        } finally {
            RequestClock.end();
        }
        stats.count(operation.ordinal(), System.nanoTime() - since, result < 0);
        return result;
    }

    private static int errno(Operation operation, Subject subject, Throwable failed) {
        try {
            return RequestFailures.errno(failed, () -> "%s of %s".formatted(operation, subject.words(failed)));
        } catch (Throwable worse) {   // no memory even to say so
            return Errno.EIO;
        }
    }

    int read(int bytes) {
        stats.read(bytes);
        return bytes;
    }

    int written(int bytes) {
        stats.written(bytes);
        return bytes;
    }
}
