package volsh.command.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;

/** A probe asks once: what waits and retries is for programs that have to go on. */
final class StoreProbingTest {
    @TempDir
    Path directory;

    @Test
    void aClosedPortIsToldAfterOneAttempt() throws Exception {
        int closed;
        try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            closed = server.getLocalPort();
        }
        assertThat(probe(closed)).contains("refused").doesNotContain("attempts");
    }

    @Test
    void aDoorThatIsSlammedIsTriedOnce() throws Exception {
        var tries = new AtomicInteger();
        try (var server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread.ofPlatform().daemon().start(() -> {
                try {
                    while (true) {
                        server.accept().close();
                        tries.incrementAndGet();
                    }
                } catch (IOException closed) {
                    // the test is over
                }
            });
            assertThat(probe(server.getLocalPort())).doesNotContain("attempts");
        }
        // the first of each kind of request, and what the client does by itself with a connection that broke
        assertThat(tries).hasValueBetween(1, 3);
    }

    private String probe(int port) throws Exception {
        var scratch = new Scratch(directory.resolve("home"));
        scratch.ok("store add away s3://bucket --region us-east-1 --anonymous --endpoint http://127.0.0.1:" + port);
        var ended = scratch.run("store probe away");
        assertThat(ended.status()).as(ended.err()).isEqualTo(6);
        return ended.err();
    }
}
