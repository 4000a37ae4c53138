package volsh.fuse.kernel;

import java.io.IOException;
import java.lang.foreign.Arena;
import volsh.fuse.MountFlag;
import volsh.fuse.MountOptions;
import volsh.fuse.Native;
import volsh.fuse.kernel.FuseStructs.*;

/** The first request of every mount: negotiates the features of the kernel. */
final class Handshake {
    private static final int MAJOR = 7;
    private static final int MINOR = 40;
    private static final int MAX_BACKGROUND = 64;
    private static final int CONGESTION = 48;
    private static final int PAGES_MAX = Request.PAYLOAD_MAX / 4096;
    private static final int NANOSECOND = 1;

    private static final long ASYNC_READ = 1;
    private static final long RANGE_LOCKS = 1 << 1;
    private static final long ATOMIC_TRUNCATE = 1 << 3;
    private static final long EXPORT_SUPPORT = 1 << 4;
    private static final long BIG_WRITES = 1 << 5;
    private static final long DONT_MASK = 1 << 6;
    private static final long WHOLE_LOCKS = 1 << 10;
    private static final long READDIRPLUS = 1 << 13;
    private static final long READDIRPLUS_AUTO = 1 << 14;
    private static final long ASYNC_DIRECT_IO = 1 << 15;
    private static final long WRITEBACK_CACHE = 1 << 16;
    private static final long PARALLEL_DIRECTORIES = 1 << 18;
    private static final long POSIX_ACL = 1 << 20;
    private static final long MAX_PAGES = 1 << 22;
    private static final long CACHE_SYMLINKS = 1 << 23;
    private static final long EXPLICIT_INVALIDATION = 1 << 25;
    private static final long HANDLE_KILLPRIV_V2 = 1 << 28;
    private static final long SETXATTR_EXT = 1 << 29;
    private static final long INIT_EXT = 1 << 30;
    private static final long DIRECT_IO_ALLOW_MMAP = 1L << 36;
    private static final long PASSTHROUGH = 1L << 37;
    /** Backing files may be on disks, not on stacked file systems. */
    private static final int STACK_DEPTH = 1;

    private static final long ACCESS_LISTS = POSIX_ACL | SETXATTR_EXT;

    private static final long WANTED = ASYNC_READ | ATOMIC_TRUNCATE | EXPORT_SUPPORT | BIG_WRITES | DONT_MASK
            | READDIRPLUS
            | READDIRPLUS_AUTO | ASYNC_DIRECT_IO | PARALLEL_DIRECTORIES | MAX_PAGES | CACHE_SYMLINKS
            | EXPLICIT_INVALIDATION
            | HANDLE_KILLPRIV_V2 | INIT_EXT | DIRECT_IO_ALLOW_MMAP;

    private final MountOptions options;
    private final boolean sharesLocks;
    private boolean passesThrough;

    /** {@code sharesLocks} asks the kernel to forward locks; otherwise it keeps them to itself. */
    Handshake(MountOptions options, boolean sharesLocks) {
        this.sharesLocks = sharesLocks;
        this.options = options;
    }

    /** Returns the kernel's minor protocol version. @throws IOException if it speaks another protocol */
    int run(int descriptor) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var calls = new Native(arena);
            var request = new Request(calls, arena);
            long got = request.receive(calls, descriptor);
            if (got < 0 || request.opcode() != Opcode.INIT) {
                throw new IOException("FUSE handshake failed: the kernel sent no INIT request: " + got);
            }
            int major = request.get(InitIn.MAJOR);
            if (major != MAJOR) {
                throw new IOException("FUSE handshake failed: the kernel speaks protocol %d, volsh supports %d"
                        .formatted(major, MAJOR));
            }
            var reply = new Reply(calls, arena, options, new AnnouncedEntries(), null, null);
            answer(request, reply);
            if (reply.send(calls, descriptor, request.unique()) < 0) {
                throw new IOException("FUSE handshake failed: the kernel rejected the INIT reply");
            }
            return request.get(InitIn.MINOR);
        }
    }

    /** Whether the kernel reads backing files, as it was asked to. */
    boolean passesThrough() {
        return passesThrough;
    }

    private void answer(Request request, Reply reply) throws IOException {
        long offered = Integer.toUnsignedLong(request.get(InitIn.FLAGS));
        if ((offered & INIT_EXT) != 0) {
            offered |= Integer.toUnsignedLong(request.get(InitIn.FLAGS2)) << 32;
        }
        long wanted = WANTED | (options.has(MountFlag.WRITEBACK_CACHE) ? WRITEBACK_CACHE : 0)
                | (sharesLocks ? RANGE_LOCKS | WHOLE_LOCKS : 0)
                | (options.has(MountFlag.ACCESS_LISTS) ? ACCESS_LISTS : 0)
                | (options.has(MountFlag.CACHE_EXPAND) && !options.has(MountFlag.WRITEBACK_CACHE) ? PASSTHROUGH : 0);
        long taken = wanted & offered;
        if (options.has(MountFlag.ACCESS_LISTS) && (taken & ACCESS_LISTS) != ACCESS_LISTS) {
            throw new IOException("this kernel cannot enforce access control lists: mount without --acl");
        }
        passesThrough = (taken & PASSTHROUGH) != 0;
        reply.add(InitOut.BYTES)
                .set(InitOut.MAJOR, MAJOR).set(InitOut.MINOR, Math.min(request.get(InitIn.MINOR), MINOR))
                .set(InitOut.MAX_READAHEAD, request.get(InitIn.MAX_READAHEAD))
                .set(InitOut.FLAGS, (int) taken).set(InitOut.FLAGS2, (int) (taken >>> 32))
                .set(InitOut.MAX_BACKGROUND, MAX_BACKGROUND).set(InitOut.CONGESTION_THRESHOLD, CONGESTION)
                .set(InitOut.MAX_WRITE, Request.PAYLOAD_MAX).set(InitOut.MAX_PAGES, PAGES_MAX)
                .set(InitOut.TIME_GRAN, NANOSECOND)
                .set(InitOut.MAX_STACK_DEPTH, passesThrough ? STACK_DEPTH : 0);
    }
}
