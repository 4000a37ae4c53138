package volsh.command.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;
import volsh.command.tree.Scratch.Ended;
import volsh.hang.Eventually;

/** {@code advise}: what is said of how files will be read, and what mounts do then. */
final class AdviseCommandsTest {
    private static final int SIZE = 8 << 20;

    @TempDir
    Path directory;
    private Scratch scratch;
    private Path mountPoint;

    @BeforeEach
    void home() throws IOException {
        scratch = new Scratch(directory.resolve("home"));
        mountPoint = directory.resolve("m");
        ok("volume create a --compression none");
        var bytes = new byte[SIZE];
        new Random(1).nextBytes(bytes);
        Files.write(directory.resolve("f"), bytes);
        ok("mkdir a:/train");
        ok("put %s a:/train/".formatted(directory.resolve("f")));
    }

    private Ended ok(String line) {
        Ended ended = scratch.run(line);
        assertThat(ended.status()).as(line + "\n" + ended.err()).isZero();
        return ended;
    }

    private String advice(String path) {
        return ok("advise show %s -o csv --columns advice,from".formatted(path)).out().lines().skip(1).findFirst()
                .orElseThrow();
    }

    @Test
    void adviceIsInheritedAndRemoved() {
        assertThat(advice("a:/train")).isEqualTo("normal,");
        assertThat(ok("advise sequential a:/train --dry-run").out()).contains("advise", "a:/train", "sequential");
        assertThat(advice("a:/train")).isEqualTo("normal,");
        assertThat(ok("advise sequential a:/train").err()).contains("a:/train is advised sequential");
        assertThat(advice("a:/train/f")).isEqualTo("sequential,a:/train");
        ok("advise random a:/train/f");
        assertThat(advice("a:/train/f")).isEqualTo("random,a:/train/f");
        assertThat(ok("advise list a -o csv --columns path,advice").out())
                .isEqualTo("path,advice\na:/train,sequential\na:/train/f,random\n");
        ok("advise normal a:/train/f");
        assertThat(advice("a:/train/f")).as("an exception").isEqualTo("normal,a:/train/f");
        ok("advise clear a:/train a:/train/f");
        assertThat(ok("advise list a -o json").out().strip()).isEqualTo("[]");
        assertThat(ok("advise normal a:/train --dry-run").out()).doesNotContain("a:/train");
    }

    @Test
    void whatCannotBeAdvisedIsSaid() {
        assertThat(scratch.run("advise sequential a:/nowhere").status()).isEqualTo(3);
        assertThat(scratch.run("advise sequential nothing:/").status()).isEqualTo(3);
        assertThat(scratch.run("advise random " + directory).err()).contains("is not on a mount");
        assertThat(scratch.run("advise sequential").status()).isEqualTo(2);
        ok("snapshot create a@s1");
        var past = scratch.run("advise random a@s1:/train");
        assertThat(past.status()).isEqualTo(9);
        assertThat(past.err()).contains("snapshots are read-only");
        var unmounted = scratch.run("advise willneed a:/train");
        assertThat(unmounted.status()).isEqualTo(3);
        assertThat(unmounted.err()).contains("is on no mount", "volsh mount a ./a");
        assertThat(scratch.run("advise dontneed a:/train").err()).contains("is on no mount");
    }

    @Test
    void mountsReadAsAdvised() throws Exception {
        try (var mount = new MountedVolume(scratch, "a", mountPoint, "--cache-memory 64MiB")) {
            assertThat(mount.cat("train/f")).isEqualTo(SIZE);
            assertThat(statistic("  of these, passed by advised readers")).isZero();
            ok("advise sequential %s/train".formatted(mountPoint));
            assertThat(advice("a:/train")).isEqualTo("sequential,a:/train");
            Eventually.holds("the mount follows", () -> {
                ok("sys pagecache --drop " + mountPoint);
                mount.cat("train/f");
                return statistic("  of these, passed by advised readers") > 0;
            });
        }
    }

    private long statistic(String row) {
        return ok("mounts stats %s -o tsv --columns operation,count".formatted(mountPoint)).out().lines()
                .filter(line -> line.startsWith(row + "\t")).mapToLong(line -> Long.parseLong(line.split("\t")[1]))
                .sum();
    }

    private String resident() {
        return ok("sys pagecache %s/train -o value:resident".formatted(mountPoint)).out().strip();
    }

    @Test
    void willNeedLoadsAndDontNeedLetsGo() throws Exception {
        try (var mount = new MountedVolume(scratch, "a", mountPoint, "--cache-memory 64MiB")) {
            assertThat(resident()).isEqualTo("0");
            assertThat(ok("advise willneed a:/train --dry-run").out()).contains("load", "page cache");
            assertThat(ok("advise willneed a:/train -o csv --columns into,files,size,before").out())
                    .endsWith("page cache,1,8388608,0\n");
            assertThat(resident()).isEqualTo("8388608");
            assertThat(cached()).isPositive();
            assertThat(ok("advise dontneed %s/train -o csv --columns files,pages".formatted(mountPoint)).out())
                    .endsWith("1,8388608\n");
            assertThat(resident()).isEqualTo("0");
            assertThat(cached()).isZero();
            assertThat(mount.cat("train/f")).isEqualTo(SIZE);
        }
    }

    private long cached() {
        return ok("mounts stats %s -o csv --columns operation,bytes".formatted(mountPoint)).out().lines()
                .filter(line -> line.startsWith("cached,")).mapToLong(line -> Long.parseLong(line.split(",")[1])).sum();
    }

    @Test
    void cacheDirectoriesAreFilledAndEmptied() throws Exception {
        var cache = directory.resolve("cache");
        try (var _ = new MountedVolume(scratch, "a", mountPoint, "--cache-memory 4MiB --cache-dir " + cache)) {
            assertThat(ok("advise willneed a:/train -o value:into").out().strip()).isEqualTo(cache.toString());
            assertThat(ok("cache warm a:/train -o value:fetched").out().strip()).as("all is there").isEqualTo("0");
            assertThat(Long.parseLong(ok("advise dontneed a:/train -o value:evicted").out().strip()))
                    .isGreaterThanOrEqualTo(SIZE);
            assertThat(Long.parseLong(ok("cache warm a:/train -o value:fetched").out().strip()))
                    .isGreaterThanOrEqualTo(SIZE);
        }
    }
}
