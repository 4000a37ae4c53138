package volsh.command.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.Cancellation;
import volsh.command.TestHost;
import volsh.command.cache.MountedVolume;
import volsh.command.tree.Scratch;
import volsh.hang.Eventually;
import volsh.json.Fields;
import volsh.json.Json;

/**
 * A real Prometheus scrapes a mount, as another user with the token, and answers every query of the Grafana dashboard
 * in the image.
 */
final class DashboardTest {
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final Pattern METRIC = Pattern.compile("volsh_[a-z_]+");

    @TempDir
    Path directory;
    private Scratch scratch;

    @BeforeEach
    void home() {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/prometheus")),
                "no prometheus here: apt-get install prometheus");
        scratch = new Scratch(directory.resolve("home"));
    }

    /** Every query of the dashboard, those of its variables as selectors. */
    private static List<String> queries() throws IOException {
        var dashboard = Json.read(
                Files.readAllBytes(Path.of(System.getProperty("volsh.project", "."), "jlink/grafana/volsh.json")));
        var queries = new ArrayList<String>();
        for (var panel : dashboard.list("panels")) {
            for (var target : panel.list("targets")) {
                queries.add(target.text("expr"));
            }
        }
        for (var variable : dashboard.fields("templating").list("list")) {
            if (variable.text("type").equals("query")) {
                queries.add(variable.text("definition").replaceAll("label_values\\((.*), .*\\)", "$1"));
            }
        }
        return queries.stream().map(query -> query.replace("$instance", ".*").replace("$mount", ".*")
                .replace("$__rate_interval", "30s")).toList();
    }

    private static String promtool(String text, String... words) throws Exception {
        var process = new ProcessBuilder(words).redirectErrorStream(true).start();
        try (var to = process.getOutputStream()) {
            to.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    @Test
    void prometheusLikesTheMetricsAndAnswersEveryQuery() throws Exception {
        scratch.ok("volume create a");
        scratch.fill("a", 2, 300_000);
        var token = directory.resolve("token");
        try (var mount = new MountedVolume(scratch, "a", directory.resolve("m"), "--direct-io")) {
            mount.cat("data/f0");
            var text = scratch.ok("metrics").out();
            assertThat(promtool(text, "promtool", "check", "metrics")).isEmpty();
            var stop = new Cancellation();
            var host = new TestHost();
            var serving = CompletableFuture.supplyAsync(() ->
                    scratch.run(host, "metrics --listen 0 --token-file " + token, stop));
            Eventually.holds("metrics are served", () -> host.err().contains("/metrics"));
            int port = URI.create(host.err().strip()).getPort();
            var tables = new ArrayList<>(METRIC.matcher(text).results().map(found -> found.group()).distinct()
                    .toList());
            try (var prometheus = new Prometheus(port, Files.readString(token).strip())) {
                for (var query : queries()) {
                    Eventually.holds("an answer to " + query, () -> {
                        mount.cat("data/f1");
                        return prometheus.answers(query);
                    });
                    METRIC.matcher(query).results()
                            .forEach(found -> assertThat(tables).as(query).contains(found.group()));
                }
                assertThat(prometheus.answers("volsh_no_such_metric")).as("the control").isFalse();
            }
            stop.request();
            assertThat(serving.get(1, TimeUnit.MINUTES).status()).isEqualTo(130);
        }
        assertThat(scratch.run("metrics --listen 0 --socket x").status()).isEqualTo(2);
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-r--r--"));
        var open = scratch.run("metrics --listen 0 --token-file " + token);
        assertThat(open.status()).isEqualTo(9);
        assertThat(open.err()).contains("other users can read the token", "chmod 600 " + token);
    }

    /** A Prometheus of another user that scrapes a port with a token. */
    private final class Prometheus implements AutoCloseable {
        private final Process process;
        private final int port;

        Prometheus(int target, String token) throws Exception {
            var data = Files.createDirectory(directory.resolve("prometheus"));
            var config = Files.writeString(data.resolve("prometheus.yml"), """
                    global: {scrape_interval: 1s}
                    scrape_configs:
                      - job_name: volsh
                        authorization: {credentials: %s}
                        static_configs: [{targets: ['127.0.0.1:%d']}]
                    """.formatted(token, target));
            try (var free = new ServerSocket(0)) {
                port = free.getLocalPort();
            }
            new ProcessBuilder("chown", "-R", "65534:65534", data.toString()).start().waitFor();
            for (var above = data.getParent(); Files.getOwner(above).getName().equals("root")
                    && above.startsWith(directory); above = above.getParent()) {
                Files.setPosixFilePermissions(above, PosixFilePermissions.fromString("rwx--x--x"));
            }
            process = new ProcessBuilder("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                    "prometheus", "--config.file=" + config, "--storage.tsdb.path=" + data.resolve("data"),
                    "--web.listen-address=127.0.0.1:" + port)
                    .redirectErrorStream(true).redirectOutput(directory.resolve("prometheus.log").toFile()).start();
            Eventually.holds("Prometheus is ready", () -> {
                assertThat(process.isAlive()).as(() -> read(directory.resolve("prometheus.log"))).isTrue();
                return isReady();
            });
        }

        private static String read(Path file) {
            try {
                return Files.readString(file);
            } catch (IOException unreadable) {
                return unreadable.toString();
            }
        }

        private boolean isReady() throws InterruptedException {
            try {
                return get("/-/ready").statusCode() == 200;
            } catch (IOException notYet) {
                return false;
            }
        }

        private java.net.http.HttpResponse<String> get(String path) throws IOException, InterruptedException {
            return HTTP.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d%s".formatted(port, path))).build(),
                    BodyHandlers.ofString());
        }

        /** Whether the query has at least one value; a wrong one fails. */
        boolean answers(String query) throws Exception {
            var answer = get("/api/v1/query?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8));
            assertThat(answer.statusCode()).as(query + ": " + answer.body()).isEqualTo(200);
            Fields data = Json.read(answer.body().getBytes(StandardCharsets.UTF_8)).fields("data");
            return !data.list("result").isEmpty();
        }

        @Override
        public void close() {
            process.destroy();
            process.onExit().orTimeout(1, TimeUnit.MINUTES).join();
        }
    }
}
