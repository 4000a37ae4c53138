package volsh.mount;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Notifies the service manager that a mount or gateway answers: a datagram to the socket in {@code NOTIFY_SOCKET}, see
 * sd_notify(3). A name that begins with @ is an abstract socket.
 */
public final class Readiness {
    private static final short AF_UNIX = 1;
    private static final int SOCK_DGRAM_CLOEXEC = 2 | 0x80000;
    private static final int PATH_MAX = 107;

    private Readiness() {}

    /** Does nothing without a service manager. */
    public static void tell(Map<String, String> environment, String status) throws IOException {
        var socket = environment.get("NOTIFY_SOCKET");
        if (socket != null && !socket.isEmpty()) {
            send(socket, "READY=1\nSTATUS=" + status.replace('\n', ' ') + "\n");
        }
    }

    private static void send(String socket, String message) throws IOException {
        byte[] path = socket.getBytes(StandardCharsets.UTF_8);
        if (path.length > PATH_MAX) {
            throw new IOException("cannot notify the service manager: socket name too long: " + socket);
        }
        try (var arena = Arena.ofConfined()) {
            var address = arena.allocate(3 + PATH_MAX, 8);
            address.set(JAVA_SHORT, 0, AF_UNIX);
            MemorySegment.copy(path, 0, address, JAVA_BYTE, 2, path.length);
            if (path[0] == '@') {
                address.set(JAVA_BYTE, 2, (byte) 0);
            }
            var text = arena.allocateFrom(message);
            int descriptor = (int) call("socket", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT))
                    .invokeExact((int) AF_UNIX, SOCK_DGRAM_CLOEXEC, 0);
            var sendto = FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT);
            long sent = (long) call("sendto", sendto)
                    .invokeExact(descriptor, text, text.byteSize() - 1, 0, address, 2 + path.length);
            int closed = (int) call("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT)).invokeExact(descriptor);
            if (sent < 0 || closed != 0) {
                throw new IOException("cannot notify the service manager: it does not listen on " + socket);
            }
        } catch (IOException | RuntimeException | Error failed) {
            throw failed;
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @SuppressWarnings("restricted")   // three calls that touch no memory but what they are given
    private static MethodHandle call(String name, FunctionDescriptor shape) {
        var linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), shape);
    }
}
