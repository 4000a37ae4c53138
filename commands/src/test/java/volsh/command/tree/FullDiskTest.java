package volsh.command.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A home on a small file system that is full, or read-only: clear words, the right exit code, nothing half made. */
final class FullDiskTest {
    @TempDir
    Path directory;
    private Path disk;
    private Scratch scratch;

    @BeforeEach
    void mount() throws Exception {
        disk = Files.createDirectory(directory.resolve("disk"));
        assumeTrue(run("mount", "-t", "tmpfs", "-o", "mode=0700,size=2m", "volsh-test", disk.toString()),
                "mounting a small file system needs root");
        scratch = new Scratch(disk.resolve("home"));
    }

    @AfterEach
    void unmount() throws Exception {
        run("umount", "-l", disk.toString());
    }

    private static boolean run(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor() == 0;
    }

    /** Fills the disk up, but for so many bytes. */
    private void fill(int spare) throws IOException {
        long free = Files.getFileStore(disk).getUsableSpace();
        Files.write(disk.resolve("filling"), new byte[(int) Math.max(0, free - spare)]);
    }

    @Test
    void aFullDiskMakesNoVolumeAtAnyPoint() throws Exception {
        assertThat(scratch.run("volume create first").status()).isZero();
        var before = scratch.files().keySet();
        int refused = 0;
        for (int pages = 0; pages < 40; pages++) {
            fill(pages * 4096);
            var ended = scratch.run("volume create second");
            Files.delete(disk.resolve("filling"));
            if (ended.status() == 0) {
                break;
            }
            assertThat(ended.status()).as(pages + " pages: " + ended.err()).isEqualTo(8);
            assertThat(ended.err()).contains("no-space").doesNotContain("Exception");
            assertThat(scratch.files().keySet()).as(pages + " pages").isEqualTo(before);
            refused++;
        }
        assertThat(refused).as("some were refused").isPositive();
        assertThat(scratch.run("volume show second").status()).as("at last there was room").isZero();
    }

    @Test
    void aVolumeOnAFullDiskCanBeDestroyed() throws Exception {
        assertThat(scratch.run("volume create first").status()).isZero();
        assertThat(scratch.run("volume create second").status()).isZero();
        assertThat(scratch.run("volume destroy second --confirm second").status()).isZero();
        fill(0);
        var ended = scratch.run("volume destroy first --force --confirm first");
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(scratch.run("volume list -o name").out()).isEmpty();
    }

    @Test
    void aReadOnlyHome() throws Exception {
        assertThat(scratch.run("volume create first").status()).isZero();
        assertThat(run("mount", "-o", "remount,ro", disk.toString())).isTrue();
        var ended = scratch.run("volume create second");
        assertThat(ended.status()).as(ended.err()).isEqualTo(9);
        assertThat(ended.err())
                .contains("the catalog cannot be written: " + scratch.home(), "Read-only file system", "VOLSH_HOME");
        assertThat(scratch.run("volume list -o name").out()).isEqualTo("first\n");
        assertThat(scratch.run("volume set first compression=none").status()).isEqualTo(9);
        assertThat(scratch.run("volume destroy first --confirm first").status()).isEqualTo(9);
    }
}
