package volsh.command.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import volsh.command.tree.Scratch;
import volsh.command.tree.Scratch.Ended;
import volsh.hang.Eventually;

/** A volume that this process has mounted, as {@code volsh mount --foreground} does; unmounted when it is closed. */
public final class MountedVolume implements AutoCloseable {
    private final Path mountPoint;
    private final CompletableFuture<Ended> served = new CompletableFuture<>();

    public MountedVolume(Scratch scratch, String volume, Path mountPoint, String options) throws Exception {
        assumeTrue(Files.isWritable(Path.of("/dev/fuse")) && "root".equals(System.getProperty("user.name")),
                "needs root and /dev/fuse");
        this.mountPoint = Files.createDirectories(mountPoint);
        Thread.ofPlatform().daemon().name("mount").start(
                () ->
                served.complete(scratch.run("mount %s %s --foreground %s".formatted(volume, mountPoint, options))));
        Eventually.value("it is mounted", () -> {
            assertThat(served.isDone()).as(() -> served.join().err()).isFalse();
            return scratch.run("mounts list -o value:state").out();
        }, state -> state.contains("ok"));
    }

    /** Reads a file through the kernel, from a process that is not the one that serves it. */
    public int cat(String path) throws IOException, InterruptedException {
        var process = new ProcessBuilder("cat", mountPoint.resolve(path).toString()).redirectErrorStream(true).start();
        int length = process.getInputStream().readAllBytes().length;
        assertThat(process.waitFor()).isZero();
        return length;
    }

    /** Writes a file through the kernel. */
    public void write(String path, byte[] bytes) throws IOException, InterruptedException {
        var process = new ProcessBuilder("dd", "status=none", "of=" + mountPoint.resolve(path))
                .redirectErrorStream(true).start();
        try (var to = process.getOutputStream()) {
            to.write(bytes);
        }
        var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
    }

    /** What it said beside its output, once it is closed. */
    public String said() {
        return Eventually.result("the end of the mount", served).err();
    }

    @Override
    public void close() throws IOException {
        var unmounting = new ProcessBuilder("umount", "-l", mountPoint.toString()).inheritIO().start();
        assertThat(Eventually.result("the end of umount", unmounting.onExit()).exitValue()).isZero();
        assertThat(Eventually.result("the end of the mount", served).status()).as(served.join().err()).isZero();
    }
}
