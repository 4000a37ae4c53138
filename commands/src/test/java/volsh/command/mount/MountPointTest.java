package volsh.command.mount;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import volsh.catalog.Refusal;
import volsh.command.cache.MountedVolume;
import volsh.command.tree.Scratch;
import volsh.hang.Eventually;
import volsh.mount.StartResult;

/** What is said about the directory that a volume is mounted on. */
final class MountPointTest {
    @TempDir
    private Path directory;

    @Test
    void filesThatAreHiddenAreSaidToBe() throws Exception {
        var scratch = new Scratch(directory.resolve("home"));
        scratch.ok("volume create a");
        var point = Files.createDirectory(directory.resolve("m"));
        var empty = new MountedVolume(scratch, "a", point, "");
        empty.close();
        assertThat(empty.said()).doesNotContain("warning");
        Files.writeString(point.resolve("f"), "x");
        var hiding = new MountedVolume(scratch, "a", point, "");
        hiding.close();
        assertThat(hiding.said()).contains("warning: " + point
                + " is not empty; the mount of a:/ hides its files until it is unmounted");
        assertThat(point.resolve("f")).hasContent("x");
    }

    @Test
    @Timeout(60)
    void aMountsOwnProcessLeavesHowItsStartEnded() throws Exception {
        var scratch = new Scratch(directory.resolve("home"));
        scratch.ok("volume create a");
        var point = Files.createDirectory(directory.resolve("m"));
        var result = Files.createFile(directory.resolve("result.json"));
        var failed = scratch.run("mount --foreground --result %s a:/gone %s".formatted(result, point));
        assertThat(failed.status()).isEqualTo(3);
        assertThat(StartResult.read(result)).get().isInstanceOfSatisfying(StartResult.Failed.class, told -> {
            assertThat(told.reason()).isEqualTo(Refusal.Reason.NOT_FOUND);
            assertThat(failed.err()).startsWith("error: " + told.message() + " [");
        });
        Files.write(result, new byte[0]);
        try (var _ = new MountedVolume(scratch, "a", point, "--result " + result)) {
            assertThat(Eventually.value("there is a result", () -> StartResult.read(result), Optional::isPresent))
                    .contains(new StartResult.Ready());
        }
        Files.delete(result);
        scratch.run("mount --foreground --result %s a:/gone %s".formatted(result, point));
        assertThat(result).as("nobody waits for it").doesNotExist();
    }

    @Test
    void whatTheKernelRefusesIsReadOnlyHoweverItWasMounted() throws Exception {
        var scratch = new Scratch(directory.resolve("home"));
        scratch.ok("volume create a");
        var point = directory.resolve("m");
        try (var _ = new MountedVolume(scratch, "a", point, "")) {
            assertThat(scratch.ok("mounts list -o value:mode").out()).isEqualTo("read-write\n");
            assertThat(new ProcessBuilder("mount", "-i", "-o", "remount,ro", point.toString()).inheritIO().start()
                    .waitFor()).isZero();
            assertThat(scratch.ok("mounts list -o value:mode").out()).isEqualTo("read-only\n");
            assertThat(scratch.ok("mounts show %s -o value:mode".formatted(point)).out()).isEqualTo("read-only\n");
        }
    }
}
