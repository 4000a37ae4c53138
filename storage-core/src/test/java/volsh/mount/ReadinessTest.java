package volsh.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a service manager hears. */
final class ReadinessTest {
    @TempDir
    private Path temporary;

    private String heard(String socket) throws Exception {
        var listener = new ProcessBuilder("python3", "-c", """
                import socket, sys
                s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
                s.bind(sys.argv[1].replace('@', '\\0', 1) if sys.argv[1][0] == '@' else sys.argv[1])
                print('listening', flush=True)
                s.settimeout(120)
                sys.stdout.write(s.recv(1000).decode())
                """, socket).redirectErrorStream(true).start();
        try (var out = listener.inputReader(StandardCharsets.UTF_8)) {
            assertThat(out.readLine()).isEqualTo("listening");
            Readiness.tell(Map.of("NOTIFY_SOCKET", socket), "mounted\nhere");
            return out.readAllAsString();
        } finally {
            listener.destroyForcibly();
        }
    }

    @Test
    void itHearsThatTheMountAnswers() throws Exception {
        assertThat(heard(temporary.resolve("s").toString())).isEqualTo("READY=1\nSTATUS=mounted here\n");
        assertThat(heard("@volsh-test-" + ProcessHandle.current().pid())).isEqualTo("READY=1\nSTATUS=mounted here\n");
    }

    @Test
    void withoutOneNothingIsSaid() throws IOException {
        Readiness.tell(Map.of(), "mounted");
        Readiness.tell(Map.of("NOTIFY_SOCKET", ""), "mounted");
    }

    @Test
    void oneThatDoesNotListenIsAnError() {
        assertThatThrownBy(() -> Readiness.tell(Map.of("NOTIFY_SOCKET", temporary.resolve("none").toString()), "x"))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> Readiness.tell(Map.of("NOTIFY_SOCKET", "/" + "x".repeat(200)), "x"))
                .isInstanceOf(IOException.class);
    }
}
