package volsh.fuse;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * Runs {@code fusermount3} with a socket, through which it passes back the descriptor of /dev/fuse. Java's own
 * processes cannot do this: they inherit nothing but their standard streams.
 */
final class FusermountSocket {
    private static final int AF_UNIX = 1;
    private static final int SOCK_STREAM_CLOEXEC = 1 | 02000000;
    private static final int MSG_CMSG_CLOEXEC = 0x40000000;
    private static final int SCM_RIGHTS = 1;
    private static final int SPAWN_FILE_ACTIONS = 256;
    /** The descriptors of the socket and of standard error in the child. */
    private static final int SOCKET = 3;
    private static final int ERRORS = 2;
    private static final int ERRORS_MAX = 4096;

    private static final MethodHandle SOCKETPAIR =
            Native.call("socketpair", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS));
    private static final MethodHandle PIPE = Native.call("pipe2", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle READ =
            Native.call("read", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));
    private static final MethodHandle RECVMSG =
            Native.call("recvmsg", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle WAITPID =
            Native.call("waitpid", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle SPAWN = Native.call(
            "posix_spawn", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS));
    private static final MethodHandle ACTIONS =
            Native.call("posix_spawn_file_actions_init", FunctionDescriptor.of(JAVA_INT, ADDRESS));
    private static final MethodHandle ACTIONS_DUP = Native.call(
            "posix_spawn_file_actions_adddup2", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT));
    private static final MethodHandle ACTIONS_END =
            Native.call("posix_spawn_file_actions_destroy", FunctionDescriptor.of(JAVA_INT, ADDRESS));

    private final Path program;
    private final Arena arena;
    private final MemorySegment state;
    private final Native calls;

    private FusermountSocket(Path program, Arena arena) {
        this.program = program;
        this.arena = arena;
        this.state = Native.state(arena);
        this.calls = new Native(arena);
    }

    /** Mounts and returns the descriptor of /dev/fuse. @throws IOException with the program's message if it refuses */
    static int mount(Path program, Path point, String options) throws IOException {
        try (var arena = Arena.ofConfined()) {
            return new FusermountSocket(program, arena).descriptor(point, options);
        } catch (IOException | RuntimeException | Error failed) {
            throw failed;
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private int descriptor(Path point, String options) throws Throwable {
        var socket = arena.allocate(JAVA_INT, 2);
        var errors = arena.allocate(JAVA_INT, 2);
        require((int) SOCKETPAIR.invokeExact(state, AF_UNIX, SOCK_STREAM_CLOEXEC, 0, socket));
        require((int) PIPE.invokeExact(state, errors, Native.O_CLOEXEC));
        int child;
        try {
            child = spawn(List.of(program.toString(), "-o", options, "--", point.toString()), end(socket), end(errors));
        } finally {
            calls.close(end(socket));
            calls.close(end(errors));
        }
        try {
            int received = receive(start(socket));
            var words = words(start(errors));
            require((int) WAITPID.invokeExact(state, child, MemorySegment.NULL, 0));
            if (received < 0) {
                throw new IOException(
                        "cannot mount on %s: %s".formatted(point, words.isEmpty() ? "fusermount3 failed" : words));
            }
            return received;
        } finally {
            calls.close(start(socket));
            calls.close(start(errors));
        }
    }

    private static int start(MemorySegment pair) {
        return pair.getAtIndex(JAVA_INT, 0);
    }

    private static int end(MemorySegment pair) {
        return pair.getAtIndex(JAVA_INT, 1);
    }

    private void require(int result) throws IOException {
        if (result < 0) {
            throw new IOException("cannot run fusermount3: error " + Native.errno(state));
        }
    }

    private int spawn(List<String> words, int socket, int errors) throws Throwable {
        var actions = arena.allocate(SPAWN_FILE_ACTIONS, 8);
        require((int) ACTIONS.invokeExact(state, actions));
        require((int) ACTIONS_DUP.invokeExact(state, actions, errors, ERRORS));
        require((int) ACTIONS_DUP.invokeExact(state, actions, socket, SOCKET));
        var process = arena.allocate(JAVA_INT);
        int failed = (int) SPAWN.invokeExact(
                state, process, arena.allocateFrom(words.getFirst()), actions, MemorySegment.NULL, vector(words),
                vector(List.of("_FUSE_COMMFD=" + SOCKET, "PATH=/usr/bin:/bin", "LC_ALL=C")));
        require((int) ACTIONS_END.invokeExact(state, actions));
        if (failed != 0) {
            throw new IOException("cannot run fusermount3: error " + failed);
        }
        return process.get(JAVA_INT, 0);
    }

    private MemorySegment vector(List<String> words) {
        var vector = arena.allocate(ADDRESS, words.size() + 1L);
        for (int i = 0; i < words.size(); i++) {
            vector.setAtIndex(ADDRESS, i, arena.allocateFrom(words.get(i)));
        }
        return vector;
    }

    /** The descriptor that comes with the one-byte message; -1 if none comes. */
    private int receive(int socket) throws Throwable {
        var vector = arena.allocate(16, 8);
        vector.set(ADDRESS, 0, arena.allocate(8));
        vector.set(JAVA_LONG, 8, 1);
        var control = arena.allocate(24, 8);
        var message = arena.allocate(56, 8);
        message.set(ADDRESS, 16, vector);
        message.set(JAVA_LONG, 24, 1);
        message.set(ADDRESS, 32, control);
        message.set(JAVA_LONG, 40, control.byteSize());
        long count;
        do {
            count = (long) RECVMSG.invokeExact(state, socket, message, MSG_CMSG_CLOEXEC);
        } while (count < 0 && Native.errno(state) == Errno.EINTR);
        boolean came = count > 0 && message.get(JAVA_LONG, 40) > 0 && control.get(JAVA_INT, 12) == SCM_RIGHTS;
        return came ? control.get(JAVA_INT, 16) : -1;
    }

    /** The output of the program until it ends, as one line. */
    private String words(int descriptor) throws Throwable {
        var buffer = arena.allocate(ERRORS_MAX);
        var text = new StringBuilder();
        for (long count = 1; count > 0 && text.length() < ERRORS_MAX;) {
            count = (long) READ.invokeExact(state, descriptor, buffer, (long) ERRORS_MAX);
            text.append(count <= 0 ? "" : new String(buffer.asSlice(0, count).toArray(JAVA_BYTE),
                    StandardCharsets.UTF_8));
        }
        return text.toString().strip().replace('\n', ' ');
    }
}
