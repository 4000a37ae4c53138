package volsh.fuse.kernel;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.nio.file.FileSystemException;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fuse.Errno;
import volsh.fuse.MountOptions;
import volsh.fuse.OperationStats;

/** One thread of a mount: reads a request, has it answered, sends the reply, until the mount is gone. */
final class Worker implements Runnable {
    private static final Logger LOG = System.getLogger("volsh.fuse");
    private static final int ENODEV = 19;
    private static final int ENOENT = 2;
    private static final int EAGAIN = 11;

    private final int descriptor;
    private final Operations operations;
    private final MountOptions options;
    private final OperationStats stats;

    Worker(int descriptor, Operations operations, MountOptions options, OperationStats stats) {
        this.descriptor = descriptor;
        this.operations = operations;
        this.options = options;
        this.stats = stats;
    }

    @Override
    public void run() {
        try (var arena = Arena.ofShared()) {
            var calls = new Native(arena);
            var request = new Request(arena);
            var reply = new Reply(arena, options.attributeTimeout(), options.entryTimeout());
            while (true) {
                long got = request.receive(calls, descriptor);
                if (got == -ENODEV) {
                    return;
                }
                if (got < 0) {
                    if (got == -ENOENT || got == -Errno.EINTR || got == -EAGAIN) {
                        continue;
                    }
                    throw new IllegalStateException("reading requests failed: error " + -got);
                }
                serve(calls, request, reply);
            }
        }
    }

    private void serve(Native calls, Request request, Reply reply) {
        long began = System.nanoTime();
        int errno = answer(calls, request, reply);
        if (errno != 0) {
            reply.sendError(calls, descriptor, request.unique(), errno);
        }
        stats.count(request.opcode(), System.nanoTime() - began, errno != 0);
        if (request.opcode() == Opcode.READ) {
            stats.read(reply.size());
        } else if (request.opcode() == Opcode.WRITE && errno == 0) {
            stats.written(request.int32(16));
        }
    }

    /** Has the request answered; 0, or the error number to answer with. */
    private int answer(Native calls, Request request, Reply reply) {
        try {
            if (operations.answer(request, reply)) {
                reply.send(calls, descriptor, request.unique());
            }
            return 0;
        } catch (FsException refused) {
            return Errno.of(refused.error());
        } catch (UnsupportedOperationException unknown) {
            return Errno.ENOSYS;
        } catch (IOException | RuntimeException surprise) {
            return surprise(request, surprise);
        }
    }

    /** What is no refusal: reported with its request, and as EIO unless a better word is known. */
    private static int surprise(Request request, Exception surprise) {
        for (Throwable cause = surprise; cause != null; cause = cause.getCause()) {
            switch (cause) {
                case FsException refused -> {
                    return Errno.of(refused.error());
                }
                case InterruptedIOException interrupted -> {
                    return Errno.EINTR;
                }
                case FileSystemException disk when String.valueOf(disk.getReason()).contains("No space left") -> {
                    return Errno.of(FsError.NO_SPACE);
                }
                case IOException disk when String.valueOf(disk.getMessage()).contains("No space left") -> {
                    return Errno.of(FsError.NO_SPACE);
                }
                default -> { }
            }
        }
        LOG.log(Level.ERROR, () -> "request %d on inode %d failed, answering EIO".formatted(request.opcode(), request.node()), surprise);
        return Errno.EIO;
    }
}
