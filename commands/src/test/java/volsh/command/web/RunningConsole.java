package volsh.command.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import volsh.command.Cancellation;
import volsh.command.TestHost;
import volsh.command.tree.Scratch;
import volsh.command.tree.Scratch.Ended;
import volsh.hang.Eventually;

/** A console that runs in this process; Ctrl-C ends it when it is closed. */
final class RunningConsole implements AutoCloseable {
    private final Cancellation stop = new Cancellation();
    private final TestHost host = new TestHost().inTime();
    private final CompletableFuture<Ended> ended;
    private final String url;

    RunningConsole(Scratch scratch, String options) {
        ended = CompletableFuture.supplyAsync(() -> scratch.run(host, "console -v " + options, stop));
        Eventually.holds("the console listens", () -> {
            assertThat(ended).as(host.err()).isNotDone();
            return host.err().contains("token=");
        });
        url = host.err().lines().filter(line -> line.startsWith("http://")).findFirst().orElseThrow();
    }

    String said() {
        return host.err();
    }

    String url() {
        return url;
    }

    String urlWithToken() {
        return host.err().replaceAll("(?s).*?(http://[^\\s]*token=[^\\s]*).*", "$1");
    }

    int port() {
        return URI.create(url).getPort();
    }

    /** The first message with these words that a viewer gets. */
    String message(String... words) throws Exception {
        try (var lines = new BufferedReader(new InputStreamReader(URI.create(url + "live").toURL().openStream(),
                StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (java.util.stream.Stream.of(words).allMatch(line::contains)) {
                    return line;
                }
            }
            throw new AssertionError("the console ended: " + said());
        }
    }

    Ended end() {
        stop.request();
        return ended.orTimeout(1, TimeUnit.MINUTES).join();
    }

    @Override
    public void close() {
        assertThat(end().status()).isEqualTo(130);
    }
}
