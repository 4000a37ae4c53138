package volsh.fuse.jnr;

import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;
import volsh.engine.RequestClock;
import volsh.fuse.Errno;
import volsh.fuse.OperationStats;
import volsh.fuse.RequestFailures;

/** The one place where libfuse's calls arrive: always returns an error number, and lets no exception escape. */
final class Answers {
    /** Operations that write out data: their failures are reported as long as the data is there. */
    private static final Set<Operation> WRITE_OUT = EnumSet.of(Operation.WRITE, Operation.FLUSH, Operation.FSYNC,
            Operation.RELEASE);

    private final OperationStats stats;

    Answers(OperationStats stats) {
        this.stats = stats;
    }

    /** An operation; its result is returned to libfuse. */
    interface Answer {
        int give() throws IOException;
    }

    /** An operation without a result. */
    interface Deed {
        void run() throws IOException;
    }

    /** Describes the file of an operation; called only if it fails. */
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
            if (RequestFailures.isQuota(-result)
                    || RequestFailures.isTrouble(-result) && !WRITE_OUT.contains(operation)) {
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
        } catch (Throwable worse) {   // not even memory to report it
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
