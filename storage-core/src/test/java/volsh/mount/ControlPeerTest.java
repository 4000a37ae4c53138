package volsh.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.fuse.Programs;

/** Who may ask a mount, and what a hostile caller gets. */
final class ControlPeerTest {
    private static final String ASK = """
            import os, socket, sys
            user, sent = int(sys.argv[1]), eval(sys.argv[2])
            if user:
                os.setgroups([]); os.setgid(user); os.setuid(user)
            asking = socket.socket(socket.AF_UNIX)
            asking.settimeout(60)
            try:
                asking.connect('socket')
                asking.sendall(sent)
                print(asking.recv(1000).decode().splitlines()[:1])
            except OSError as e:
                print(type(e).__name__)
            """;

    @TempDir
    private Path directory;

    private final List<MountRequest<?>> heard = Collections.synchronizedList(new ArrayList<>());
    private Control mount;

    @BeforeEach
    void listen() throws IOException {
        mount = Control.listen(directory.resolve("socket"), request -> {
            heard.add(request);
            return List.of("5");
        });
    }

    @AfterEach
    void close() throws IOException {
        mount.close();
    }

    private String ask(int user, String sent) throws Exception {
        return Programs.run(directory, "python3", "-c", ASK, Integer.toString(user), sent).strip();
    }

    @Test
    void onlyTheOwnerAndRootAreAnswered() throws Exception {
        assumeTrue(Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0), "needs root, to be another user");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("socket"))))
                .isEqualTo("rw-------");
        assertThat(ask(65_534, "b'ping\\n'")).isEqualTo("PermissionError");
        Files.setPosixFilePermissions(directory.resolve("socket"), PosixFilePermissions.fromString("rw-rw-rw-"));
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThat(ask(65_534, "b'unmount\\n'")).contains("error permission denied: the mount belongs to another user");
        assertThat(heard).as("nothing is done for others").isEmpty();
        assertThat(ask(0, "b'ping\\n'")).contains("ok");
        assertThat(heard).hasSize(1);
    }

    /** A request without an end is cut off, garbage is an error, and the next caller is answered. */
    @Test
    void garbageIsRefusedAndBounded() throws Exception {
        assertThat(ask(0, "b'x' * 20000000")).matches("\\[]|BrokenPipeError|ConnectionResetError");
        assertThat(ask(0, "b'nonsense\\n'")).contains("error");
        assertThat(ask(0, "bytes(range(256)) + b'\\n'")).contains("error");
        assertThat(heard).isEmpty();
        assertThat(ask(0, "b'ping\\n'")).contains("ok");
    }
}
