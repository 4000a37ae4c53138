package volsh.command.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.TestHost;
import volsh.command.cache.MountedVolume;
import volsh.command.tree.Scratch;

/**
 * The console: who may see it, what it says in a real browser, and that it ends. The pictures in docs/screens are from
 * {@code VOLSH_SCREENS=$PWD/docs/screens ./dev WebConsoleTest#thePageShowsThisMachine}.
 */
final class WebConsoleTest {
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final Optional<Path> SCREENS = Optional.ofNullable(System.getProperty("volsh.screens"))
            .map(Path::of);

    @TempDir
    Path directory;
    private Scratch scratch;

    @BeforeEach
    void home() throws IOException {
        if (SCREENS.isPresent()) {
            directory = Files.createTempDirectory(Path.of("/tmp"), "demo");   // a short path for pictures
        }
        scratch = new Scratch(directory.resolve("home"));
    }

    private static int status(String url, String... headers) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(url));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return HTTP.send(request.build(), BodyHandlers.ofString()).statusCode();
    }

    /** The status line that another user of this machine gets, who asks with these headers. */
    private static String asNobody(int port, String path, String host) throws Exception {
        var script = ("exec 3<>/dev/tcp/127.0.0.1/%d; printf 'GET %s HTTP/1.1\\r\\nHost: %s\\r\\nConnection: "
                + "close\\r\\n\\r\\n' >&3; head -n 1 <&3")
                .formatted(port, path, host);
        var process = new ProcessBuilder("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "bash", "-c",
                script)
                .redirectErrorStream(true).start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1).strip();
    }

    private static String as(String user, int port, String host) throws Exception {
        var script = ("exec 3<>/dev/tcp/127.0.0.1/%d; printf 'GET / HTTP/1.1\\r\\nHost: %s\\r\\nConnection: "
                + "close\\r\\n\\r\\n' >&3; head -n 1 <&3")
                .formatted(port, host);
        var process = new ProcessBuilder("bash", "-c", script).redirectErrorStream(true).start();
        return user + " " + new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1).strip();
    }

    @Test
    void onlyTheUserAndWhoHasTheToken() throws Exception {
        try (var console = new RunningConsole(scratch, "--listen 0")) {
            assertThat(status(console.url())).isEqualTo(200);
            assertThat(status(console.url() + "console.js")).isEqualTo(200);
            assertThat(status(console.url() + "nothing")).isEqualTo(404);
            assertThat(asNobody(console.port(), "/", "127.0.0.1")).as("another user").contains(" 403 ");
            assertThat(asNobody(console.port(), "/live", "127.0.0.1")).contains(" 403 ");
            assertThat(asNobody(console.port(), "/about.json", "localhost")).contains(" 403 ");
            assertThat(asNobody(console.port(), "/healthz", "localhost")).as("says nothing of anybody's")
                    .contains(" 200 ");
            var token = URI.create(console.urlWithToken()).getQuery();
            assertThat(asNobody(console.port(), "/live?" + token, "127.0.0.1")).as("with the token").contains(" 200 ");
            assertThat(asNobody(console.port(), "/?" + token, "127.0.0.1")).as("the token moves into a cookie")
                    .contains(" 303 ");
            assertThat(asNobody(console.port(), "/live?token=" + "A".repeat(24), "127.0.0.1")).contains(" 403 ");
            assertThat(as("the same user", console.port(), "evil.example")).as("a page of another site")
                    .contains(" 403 ");
            assertThat(as("the same user", console.port(), "localhost:1234")).as("through a tunnel").contains(" 200 ");
            assertThat(status(console.url(), "Authorization", "Bearer " + token.substring("token=".length())))
                    .isEqualTo(200);
            var post = HttpRequest.newBuilder(URI.create(console.url())).POST(HttpRequest.BodyPublishers.ofString("x"))
                    .build();
            assertThat(HTTP.send(post, BodyHandlers.ofString()).statusCode()).isEqualTo(405);
            assertThat(scratch.run("console --listen " + console.port()).status()).as("the port is in use")
                    .isEqualTo(4);
        }
        assertThat(scratch.run("console --listen nonsense").status()).isEqualTo(2);
        assertThat(scratch.run("console --listen example.org:80").err()).contains("not PORT or ADDRESS:PORT");
        assertThat(scratch.run("console --listen 70000").status()).isEqualTo(2);
    }

    /** On every address even root's own programs need the token. */
    @Test
    void onOtherAddressesTheTokenAlone() throws Exception {
        try (var console = new RunningConsole(scratch, "--listen 0.0.0.0:0")) {
            assertThat(console.said()).contains("not encrypted").doesNotContain("0.0.0.0", "[0:0");
            assertThat(status("http://127.0.0.1:%d/".formatted(console.port()))).isEqualTo(403);
            assertThat(status(console.urlWithToken().replaceFirst("//[^:]+:", "//127.0.0.1:"))).isEqualTo(303);
        }
    }

    @Test
    void oneViewerTooManyIsTold() throws Exception {
        try (var console = new RunningConsole(scratch, "")) {
            var streams = new ArrayList<InputStream>();
            for (int i = 0; i < 64; i++) {
                var answer = HTTP.send(HttpRequest.newBuilder(URI.create(console.url() + "live")).build(),
                        BodyHandlers.ofInputStream());
                assertThat(answer.statusCode()).isEqualTo(200);
                assertThat(answer.body().read()).as("it has begun").isNotNegative();
                streams.add(answer.body());
            }
            assertThat(status(console.url() + "live")).isEqualTo(503);
            for (var stream : streams) {
                stream.close();
            }
        }
    }

    private void jobs(MountedVolume mount) throws Exception {
        mount.write("data/new", new byte[3_000_000]);
        mount.cat("data/f0");
        mount.cat("data/new");
    }

    /** What a picture shows is at work. */
    private static void keepReading(MountedVolume mount, AtomicBoolean busy) {
        try {
            for (int i = 0; busy.get(); i++) {
                mount.cat("data/f" + i % 4);   // more than its cache takes
            }
        } catch (IOException | InterruptedException failed) {
            throw new IllegalStateException(failed);
        }
    }

    /** All there is to see, in Chromium: by day, by night, on a telephone. Names that look like HTML stay names. */
    @Test
    void thePageShowsThisMachine() throws Exception {
        var evil = directory.resolve(SCREENS.isPresent() ? "imagenet" : "m<svg><b>evil");
        scratch.ok("store add lake 'file://%s?latency=2ms'".formatted(directory.resolve("lake")));
        scratch.ok("volume create imagenet --store lake --block-size 256KiB --compression none");
        scratch.ok("volume create ckpts");
        var weights = new byte[300_000];
        new Random(1).nextBytes(weights);
        var model = Files.write(directory.resolve("model.pt"), weights);
        var saved = scratch.run(new TestHost().inTime(),
                "checkpoint save ckpts --run r1 --step 5000 --from %s --metric loss=0.31".formatted(model));
        assertThat(saved.status()).as(saved.err()).isZero();
        scratch.fill("imagenet", 4, 1_000_000);
        try (var mount = new MountedVolume(scratch, "imagenet", evil, SCREENS.isPresent()
                ? "--direct-io --cache-memory 2MiB" : "--cache-memory 0");
                var console = new RunningConsole(scratch, "");
                var browser = new Browser(directory)) {
            browser.size(1300, 1200);
            browser.open(console.url());
            browser.awaitTrue("all panels are filled",
                    "document.body.dataset.seen === 'caches checkpoints events jobs mounts status volumes'");
            var busy = new AtomicBoolean(SCREENS.isPresent());
            jobs(mount);
            var job = CompletableFuture.runAsync(() -> keepReading(mount, busy));
            if (SCREENS.isPresent()) {
                browser.awaitTrue("a minute of history", "document.querySelector('svg.spark polyline') !== null &&"
                        + " document.querySelector('svg.spark polyline').points.numberOfItems > 25");
                browser.awaitTrue("the narrowest stage", "document.querySelector('.stage.narrow') !== null");
            }
            browser.awaitTrue("the data path of the mount", "document.querySelectorAll('.mount .stage').length === 4");
            browser.awaitTrue("a line of its history", "document.querySelectorAll('svg.spark polyline').length >= 4");
            assertThat(browser.value("document.title")).isEqualTo("volsh console");
            assertThat(browser.value("document.querySelectorAll('b').length")).isEqualTo("0");
            assertThat(browser.value("document.querySelector('.mount h2').textContent")).contains(evil.toString());
            browser.awaitTrue("all is well", "document.querySelector('#verdict h2').textContent === 'All is well.'");
            browser.awaitTrue("what was written is stored",
                    "document.querySelector('#durability .big').textContent === 'nothing'");
            assertThat(browser.value("document.querySelector('#durability').textContent")).contains("volsh status");
            assertThat(browser.value("document.querySelector('#volumes').textContent"))
                    .contains("imagenet", "lake", "ckpts", "volsh df");
            assertThat(browser.value("document.querySelector('#stores').textContent")).contains("lake", "ok");
            assertThat(browser.value("document.querySelector('#checkpoints').textContent"))
                    .contains("ckpts · r1", "5,000", "valid", "loss=0.31", " s ago");
            assertThat(browser.value("document.querySelector('#events').textContent")).contains("mounted imagenet:/");
            assertThat(browser.value("document.querySelector('#live').textContent")).isEqualTo("live");
            keep(browser, "console-light");
            browser.dark(true);
            assertThat(browser.value("getComputedStyle(document.body).backgroundColor")).isEqualTo("rgb(18, 23, 30)");
            keep(browser, "console-dark");
            browser.size(400, 900);
            assertThat(browser.value("document.documentElement.scrollWidth")).as("fits a telephone").isEqualTo("400");
            keep(browser, "console-narrow");
            busy.set(false);
            job.join();
            browser.size(1300, 1200);
            trouble(browser);
            assertThat(browser.complaints()).isEmpty();
            assertThat(console.end().status()).isEqualTo(130);
            browser.awaitTrue("it says when it is cut off",
                    "document.querySelector('#live').textContent.includes('no connection')");
        }
    }

    /** A store whose directory is gone: the sentence and the command that status gives. */
    private void trouble(Browser browser) throws Exception {
        Files.move(directory.resolve("lake"), directory.resolve("elsewhere"));
        try {
            browser.awaitTrue("the problem", "document.querySelector('#verdict').textContent.includes('lake')");
            assertThat(browser.value("document.querySelector('#verdict').className")).isEqualTo("verdict bad");
            assertThat(browser.value("document.querySelector('#verdict code').textContent")).startsWith("volsh ");
            assertThat(browser.value("document.title")).startsWith("(");
            keep(browser, "console-trouble");
        } finally {
            Files.move(directory.resolve("elsewhere"), directory.resolve("lake"));
        }
    }

    private static void keep(Browser browser, String name) throws Exception {
        if (SCREENS.isPresent()) {
            browser.screenshot(SCREENS.get().resolve(name + ".png"));
        }
    }
}
