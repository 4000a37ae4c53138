package volsh.command.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.Cancellation;
import volsh.command.cache.MountedVolume;
import volsh.command.tree.Scratch;
import volsh.command.tree.Scratch.Ended;

/** Real mounts with a planted trouble, a program that meets it, and what the doctor says meanwhile. */
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
        Ended ended = scratch.run(line);
        assertThat(ended.status()).as(line + "\n" + ended.err()).isZero();
        return ended;
    }

    private void files(String volume, int count, int size) throws IOException {
        var source = Files.createDirectories(directory.resolve("source-" + volume));
        for (int i = 0; i < count; i++) {
            var bytes = new byte[size];
            new Random(i).nextBytes(bytes);
            Files.write(source.resolve("f" + i), bytes);
        }
        ok("put -r %s %s:/data".formatted(source, volume));
    }

    /** What the doctor finds first while a shell script runs on the mount, again and again. */
    private String found(String options, String volume, String script) throws Exception {
        try (var _ = new MountedVolume(scratch, volume, mountPoint, options)) {
            var load = new ProcessBuilder("/bin/bash", "-c", "cd %s/data && while :; do %s; done".formatted(mountPoint, script))
                    .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
            try {
                return ok("doctor %s/data --for 1500ms -o value:finding".formatted(mountPoint)).out();
            } finally {
                load.descendants().forEach(ProcessHandle::destroyForcibly);
                load.destroyForcibly().waitFor();
            }
        }
    }

    @Test
    void aStoreThatAnswersLate() throws Exception {
        ok("store add far 'file://%s?latency=40ms'".formatted(directory.resolve("far")));
        ok("volume create far --store far --block-size 64KiB --compression none");
        files("far", 8, 400_000);
        assertThat(found("--cache-memory 0 --readahead 0 --direct-io", "far", "cat f*")).startsWith("the store answers late");
    }

    @Test
    void tinyFiles() throws Exception {
        ok("volume create tiny");
        files("tiny", 300, 1_000);
        assertThat(found("--entry-timeout 0s --attribute-timeout 0s", "tiny", "cat f* >/dev/null")).contains("the files are tiny");
    }

    @Test
    void tinyReads() throws Exception {
        ok("volume create small --compression none");
        files("small", 1, 4_000_000);
        assertThat(found("--direct-io", "small", "dd if=f0 of=/dev/null bs=4k iflag=direct")).contains("the reads are tiny");
    }

    @Test
    void tooFewWorkers() throws Exception {
        ok("volume create lazy --compression none");
        files("lazy", 4, 1_000_000);
        assertThat(found("", "lazy", "cat f* >/dev/null; sleep 0.1")).contains("the job asks for too little at a time");
    }

    @Test
    void expectationsStatsAndMetrics() throws Exception {
        assertThat(scratch.run("doctor").status()).isIn(0, 11);
        assertThat(scratch.run("doctor " + directory).status()).isEqualTo(3);
        assertThat(scratch.run("doctor " + directory + " --expect nonsense").err()).contains("not an expectation", "hitRatio");
        ok("volume create a");
        files("a", 1, 100_000);
        try (var mount = new MountedVolume(scratch, "a", mountPoint, "")) {
            mount.cat("data/f0");
            assertThat(scratch.run("doctor %s --for 100ms --expect 'hitRatio >= 0'".formatted(mountPoint)).status()).isZero();
            var missed = scratch.run("doctor %s --for 100ms --expect 'hitRatio > 2'".formatted(mountPoint));
            assertThat(missed.status()).isEqualTo(11);
            assertThat(missed.err()).contains("not as expected: hitRatio > 2.0");
            assertThat(ok("stats --interval 50ms -o value:mount").out()).isEqualTo(mountPoint + "\n");
            assertThat(ok("top --interval 50ms --count 2").out().lines().filter(line -> line.startsWith(mountPoint.toString()))).hasSize(2);
            assertThat(ok("metrics").out()).contains("volsh_read_bytes_total{mount=\"%s\"} 100000\n".formatted(mountPoint), "# TYPE volsh_operation_seconds summary");
        }
    }

    /** On the loopback address only, until it is told to stop. */
    @Test
    void metricsOverHttp() throws Exception {
        int port;
        try (var free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        var stop = new Cancellation();
        var ended = CompletableFuture.supplyAsync(() -> scratch.run("metrics --listen " + port, stop));
        assertThat(answer(port, "/metrics", ended)).contains("200 OK", "volsh_mounts 0");
        assertThat(answer(port, "/other", ended)).contains("404");
        stop.request();
        assertThat(ended.get().status()).isEqualTo(130);
    }

    private static String answer(int port, String path, CompletableFuture<Ended> server) throws Exception {
        while (true) {
            try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                socket.getOutputStream().write("GET %s HTTP/1.1\r\nHost: a\r\n\r\n".formatted(path).getBytes(StandardCharsets.US_ASCII));
                return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            } catch (ConnectException notYet) {
                assertThat(server).isNotDone();
                Thread.sleep(20);
            }
        }
    }
}
