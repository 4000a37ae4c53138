package volsh.command.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.Cancellation;
import volsh.command.TestHost;
import volsh.command.cache.MountedVolume;
import volsh.command.tree.Scratch;
import volsh.command.tree.Scratch.Ended;
import volsh.hang.Eventually;

/** The commands that watch mounts; which culprit they name where is in {@link SituationsTest}. */
final class DoctorCommandsTest {

    @TempDir
    Path directory;
    private Scratch scratch;
    private Path mountPoint;

    @BeforeEach
    void home() {
        scratch = new Scratch(directory.resolve("home"));
        mountPoint = directory.resolve("m");
    }

    private Ended ok(String line) {
        return scratch.ok(line);
    }

    @Test
    void expectationsStatsAndMetrics() throws Exception {
        assertThat(scratch.run("doctor").status()).isIn(0, 11);
        assertThat(scratch.run("doctor " + directory).status()).isEqualTo(3);
        assertThat(scratch.run("doctor " + directory + " --expect nonsense").err())
                .contains("not an expectation", "hitRatio");
        ok("volume create a");
        scratch.fill("a", 1, 100_000);
        try (var mount = new MountedVolume(scratch, "a", mountPoint, "")) {
            mount.cat("data/f0");
            assertThat(scratch.run("doctor %s --for 100ms --expect 'hitRatio >= 0'".formatted(mountPoint)).status())
                    .isZero();
            var missed = scratch.run("doctor %s --for 100ms --expect 'hitRatio > 2'".formatted(mountPoint));
            assertThat(missed.status()).isEqualTo(11);
            assertThat(missed.err()).contains("not as expected: hitRatio > 2.0");
            assertThat(ok("doctor assert %s 'readBytesPerSecond > 0' 'hitRatio <= 1' --for 0s -o value:holds"
                    .formatted(mountPoint)).out()).isEqualTo("true\ntrue\n");
            assertThat(scratch.run("doctor assert %s 'hitRatio <= 1' 'hitRatio > 2' --for 50ms".formatted(mountPoint))
                    .status())
                    .isEqualTo(11);
            assertThat(scratch.run("doctor assert %s nonsense".formatted(mountPoint)).status()).isEqualTo(2);
            var screen = scratch.type("top --interval 50ms --count 1", "");
            assertThat(screen.err()).isEmpty();
            assertThat(screen.out()).contains("volsh top: 1 mount,", mountPoint.toString(), "store ", "job ");
            assertThat(ok("stats --interval 50ms -o value:mount").out()).isEqualTo(mountPoint + "\n");
            assertThat(ok("top --interval 50ms --count 2").out().lines()
                    .filter(line -> line.startsWith(mountPoint.toString()))).hasSize(2);
            assertThat(ok("metrics").out()).contains("volsh_read_bytes_total{mount=\"%s\"} 100000\n"
                    .formatted(mountPoint), "# TYPE volsh_operation_seconds summary",
                    "volsh_store_seconds{mount=\"%s\",call=\"get\",quantile=\"0.99\"} ".formatted(mountPoint),
                    "volsh_store_seconds_count{mount=\"%s\",call=\"get\"} ".formatted(mountPoint),
                    "volsh_store_failures_total{mount=\"%s\",call=\"get\"} 0\n".formatted(mountPoint));
            mount.write("data/new", new byte[100_000]);
            assertThat(ok("mounts stats %s -o json".formatted(mountPoint)).out()).as("times of the store")
                    .containsPattern(
                            "\"operation\" *: *\"store get\"[^}]*\"p99Seconds\" *: *[0-9][^}]*\"maxSeconds\" *: *[0-9]")
                    .containsPattern("\"operation\" *: *\"store put\"[^}]*\"p50Seconds\" *: "
                            + "*[0-9][^}]*\"p99Seconds\" *: *[0-9]");
        }
        assertThat(ok("events --kind mount -o value:text").out().lines().map(line -> line.replaceAll(": .*", "")))
                .containsExactly("mounted a:/", "unmounted a:/");
        assertThat(ok("events --since 1h --level warning -o json").out()).isEqualTo("[]\n");
        assertThat(scratch.run("events --level loud").status()).isEqualTo(2);
    }

    /**
     * One job that waits for a slow store: where its time goes, found by reading and by looking at its process. On a
     * busy machine programs wait for other things as well, and may not run at all while they are looked at: then it is
     * asked again.
     */
    @Test
    void whereTheTimeGoes() throws Exception {
        ok("store add far 'file://%s?latency=30ms'".formatted(directory.resolve("far")));
        ok("volume create far --store far --block-size 64KiB --compression none");
        scratch.fill("far", 4, 400_000);
        try (var _ = new MountedVolume(scratch, "far", mountPoint, "--cache-memory 0 --readahead 0 --direct-io")) {
            var narrowest = "stage,cache miss,narrowest";
            var others = List.of("stage,page cache,", "check,network,look here", "check,stripe,well",
                    "check,locks,well");
            Predicate<List<String>> told = all -> all.indexOf(narrowest) == 1 && all.containsAll(others);
            var reading = "doctor throughput %s/data --for 400ms --workers 2 -o csv --columns kind,name,verdict"
                    .formatted(mountPoint);
            var rows = SituationsTest.until(told, () -> ok(reading).out().lines().toList());
            assertThat(rows.get(1)).isEqualTo(narrowest);
            assertThat(rows).hasSize(12).containsAll(others);
            var reader = new ProcessBuilder("/bin/bash", "-c",
                    "cd %s/data && while :; do cat f*; done".formatted(mountPoint))
                    .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
            try {
                var watching = "doctor pipeline %s --pid %d --for 500ms -o value:stage"
                        .formatted(mountPoint, reader.pid());
                Predicate<String> waits = stages -> stages.startsWith("cache miss\n");
                assertThat(SituationsTest.until(waits, () -> ok(watching).out())).startsWith("cache miss\n");
                Predicate<String> seen = said -> said.contains("processes use files");
                // there is only one mount
                assertThat(SituationsTest.until(seen, () -> ok("doctor pipeline --for 300ms -o value:verdict").err()))
                        .contains("processes use files");
            } finally {
                reader.descendants().forEach(ProcessHandle::destroyForcibly);
                reader.destroyForcibly().waitFor();
            }
            var busy = new ProcessBuilder("/bin/bash", "-c", "echo begun; while :; do :; done").start();
            // one that computes and reads nothing is not blamed on storage
            try (var said = busy.inputReader(StandardCharsets.UTF_8)) {
                assertThat(said.readLine()).as("it has read itself").isEqualTo("begun");
                var ended = ok("doctor pipeline %s --pid %d --for 100ms -o value:stage"
                        .formatted(mountPoint, busy.pid()));
                assertThat(ended.out()).isEmpty();
                assertThat(ended.err()).contains("uses a file");
            } finally {
                busy.destroyForcibly().waitFor();
            }
        }
        assertThat(scratch.run("doctor throughput " + directory).status()).isEqualTo(3);
        assertThat(scratch.run("doctor pipeline").err()).contains("this machine has no mounts", "volsh mounts list");
    }

    /** On the loopback address only, until it is told to stop. */
    @Test
    void metricsOverHttp() throws Exception {
        var stop = new Cancellation();
        var host = new TestHost();
        var ended = CompletableFuture.supplyAsync(() -> scratch.run(host, "metrics --listen 0", stop));
        Eventually.holdsDuring(ended, "it says where it listens", () -> host.err().contains("/metrics\n"));
        int port = Integer.parseInt(host.err().replaceAll("(?s).*http://127\\.0\\.0\\.1:(\\d+)/metrics.*", "$1"));
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        assertThat(answer(address, "/metrics", ended)).contains("200 OK", "volsh_mounts 0");
        assertThat(answer(address, "/other", ended)).contains("404");
        assertThat(scratch.run("metrics --listen " + port).status()).as("somebody has this port").isEqualTo(4);
        stop.request();
        assertThat(ended.get().status()).isEqualTo(130);
    }

    /** At a socket: one who says nothing does not keep others waiting. */
    @Test
    void metricsAtASocket() throws Exception {
        var socket = directory.resolve("metrics.sock");
        var address = UnixDomainSocketAddress.of(socket);
        var stop = new Cancellation();
        var ended = CompletableFuture.supplyAsync(() -> scratch.run("metrics --socket " + socket, stop));
        assertThat(answer(address, "/metrics", ended)).contains("200 OK", "volsh_mounts 0");
        try (var silent = SocketChannel.open(address)) {
            assertThat(silent.isConnected()).isTrue();
            assertThat(answer(address, "/metrics", ended)).contains("200 OK", "volsh_mounts 0");
        }
        assertThat(scratch.run("metrics --socket " + socket).status()).isEqualTo(4);
        stop.request();
        assertThat(ended.get().status()).isEqualTo(130);
        assertThat(socket).doesNotExist();
    }

    /**
     * What is answered, sooner or later: a socket is there before anybody listens, and who is late with his question is
     * hung up on.
     */
    private static String answer(SocketAddress address, String path, CompletableFuture<Ended> server) throws Exception {
        var question = "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".formatted(path)
                .getBytes(StandardCharsets.US_ASCII);
        return Eventually.value("there is an answer", () -> {
            assertThat(server).isNotDone();
            try (var asking = SocketChannel.open(address)) {
                asking.write(ByteBuffer.wrap(question));
                return new String(Channels.newInputStream(asking).readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException notYet) {
                return "";
            }
        }, heard -> !heard.isEmpty());
    }
}
