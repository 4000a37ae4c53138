package volsh.command.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.Cancellation;
import volsh.command.TestHost;
import volsh.command.tree.Scratch;
import volsh.command.tree.Scratch.Ended;
import volsh.hang.Eventually;
import volsh.json.Json;

/** A gateway from the command line: keys, the server, and what is told of it. */
final class GatewayCommandsTest {
    @TempDir
    Path directory;

    private Scratch scratch;

    @BeforeEach
    void makeVolume() {
        scratch = new Scratch(directory.resolve("home"));
        scratch.ok("volume create data");
    }

    /** A gateway that runs in this process. */
    private final class Running implements AutoCloseable {
        private final Cancellation stop = new Cancellation();
        private final TestHost host = new TestHost().inTime();
        private final CompletableFuture<Ended> ended;

        Running(String options) {
            ended = CompletableFuture.supplyAsync(() -> scratch.run(host, "gateway s3 data " + options, stop));
            Eventually.holds("the gateway listens", () -> {
                assertThat(ended).as(host.err()).isNotDone();
                return host.err().contains("http");
            });
        }

        String url() {
            return host.err().lines().filter(line -> line.startsWith("http")).findFirst().orElseThrow();
        }

        @Override
        public void close() {
            stop.request();
            assertThat(ended.orTimeout(1, TimeUnit.MINUTES).join().status()).isEqualTo(130);
        }
    }

    @Test
    void keysAreMadeListedAndRevoked() throws Exception {
        var made = Json.read(scratch.ok("gateway key create --volume data --read-only --prefix train/ --expires 7d"
                + " -o json").out().getBytes(StandardCharsets.UTF_8));
        String secret = made.text("secret");
        assertThat(secret).hasSize(40);
        assertThat(scratch.ok("gateway key list").out()).contains(made.text("key"), "read", "train/", "good")
                .doesNotContain(secret);
        assertThat(scratch.ok("gateway key revoke %s -n".formatted(made.text("key"))).out())
                .contains("revoke", made.text("key"));
        assertThat(scratch.ok("gateway key revoke " + made.text("key")).err()).contains("revoked access key");
        assertThat(scratch.run("gateway key revoke " + made.text("key")).status()).isEqualTo(3);
        assertThat(scratch.ok("gateway key list -o json").out()).doesNotContain(made.text("key"));
        assertThat(scratch.run("gateway key create --volume dta").status()).isEqualTo(3);
        assertThat(scratch.run("gateway key create --expires 0s").err()).contains("--expires must be more than 0");
        try (var files = Files.walk(scratch.home())) {
            assertThat(files.filter(Files::isRegularFile).filter(file -> holds(file, secret))).isEmpty();
        }
    }

    private static boolean holds(Path file, String text) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1).contains(text);
        } catch (java.io.IOException gone) {
            return false;
        }
    }

    @Test
    void aGatewayIsListedWhileItRuns() throws Exception {
        try (var running = new Running("")) {
            assertThat(running.host.err()).contains("no access key exists yet", "volsh gateway key create");
            var answer = HttpClient.newHttpClient().send(HttpRequest.newBuilder(URI.create(running.url() + "/data/x"))
                    .build(), BodyHandlers.ofString());
            assertThat(answer.statusCode()).isEqualTo(403);
            assertThat(answer.body()).contains("<Code>AccessDenied</Code>", "volsh gateway key create");
            Eventually.holds("the refusal is counted", () -> scratch.ok("gateway stats -o csv").out()
                    .contains("refusal,AccessDenied,1"));
            assertThat(scratch.ok("gateway list -o csv --columns url,volumes,access,refused").out())
                    .contains(running.url() + ",data,write,1");
            assertThat(scratch.ok("gateway stop %s -n".formatted(URI.create(running.url()).getPort())).out())
                    .contains("stop", "gateway " + running.url());
        }
        assertThat(scratch.ok("gateway list -o csv --no-headers").out()).isEmpty();
    }

    /** A gateway whose process is gone is told by list and status, until it is forgotten; events say what happened. */
    @Test
    void aDeadGatewayIsTold() throws Exception {
        String url;
        byte[] record;
        Path file;
        try (var running = new Running("")) {
            url = running.url();
            assertThat(scratch.ok("status -o json").out()).contains("\"kind\": \"gateway\"", url, "serves data");
            try (var files = Files.list(scratch.home().resolve("state/gateway/running"))) {
                file = files.filter(each -> each.toString().endsWith(".json")).findFirst().orElseThrow();
            }
            record = Files.readAllBytes(file);
        }
        assertThat(scratch.ok("events -o json").out()).contains("serves data", "stopped");
        // as a process leaves it that was killed: this process began at another tick
        Files.write(file.resolveSibling(file.getFileName().toString().replaceFirst("\\d+\\.json$", "1.json")), record);
        assertThat(scratch.ok("gateway list -o csv --columns url,state --no-headers").out()).contains(url + ",dead");
        var status = scratch.run("status");
        assertThat(status.status()).isEqualTo(6);
        assertThat(status.out() + status.err()).contains("has ended without being stopped",
                "volsh gateway stop " + url);
        assertThat(scratch.ok("gateway stop %s -n".formatted(url)).out()).contains(url);
        assertThat(scratch.ok("gateway stop " + url).err()).contains("forgot gateway " + url);
        assertThat(scratch.ok("gateway list -o csv --no-headers").out()).isEmpty();
        scratch.ok("status");
    }

    @Test
    void whatCannotBeServedIsRefused() {
        assertThat(scratch.run("gateway s3 dta").err()).contains("no such volume: 'dta'",
                "did you mean: volsh gateway s3 data");
        assertThat(scratch.run("gateway s3 data --listen 0.0.0.0:0").err()).contains("must be encrypted",
                "--tls-cert");
        assertThat(scratch.run("gateway s3 data --tls-cert x.pem").err()).contains("belong together");
        assertThat(scratch.run("gateway s3 data --tls-cert nope.pem --tls-key nope.pem").status()).isEqualTo(3);
        try (var running = new Running("")) {
            var taken = scratch.run("gateway s3 data --listen " + URI.create(running.url()).getPort());
            assertThat(taken.status()).isEqualTo(4);
            assertThat(taken.err()).contains("is already in use");
        }
        var managed = new TestHost().inTime().with("NOTIFY_SOCKET", directory.resolve("none").toString());
        assertThat(scratch.run(managed, "gateway s3 data", new Cancellation()).err())
                .as("a service manager is told that the gateway answers").contains("cannot notify the service manager");
        assertThat(scratch.run("gateway stop 1").status()).isEqualTo(3);
        assertThat(scratch.run("gateway stats 1").err()).contains("no gateway '1' runs in this home");
    }
}
