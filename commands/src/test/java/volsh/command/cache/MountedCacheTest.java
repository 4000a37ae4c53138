package volsh.command.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.Cancellation;
import volsh.command.TestHost;
import volsh.command.tree.Scratch;
import volsh.command.tree.Scratch.Ended;
import volsh.fuse.TestMount;
import volsh.hang.Eventually;

/** The commands that ask a running mount to do something with its cache. */
final class MountedCacheTest {
    private static final int SIZE = 1 << 20;

    @TempDir
    Path directory;
    private Scratch scratch;
    private Path cache;
    private Path mountPoint;

    @BeforeEach
    void home() throws IOException {
        scratch = new Scratch(directory.resolve("home"));
        cache = directory.resolve("cache");
        mountPoint = directory.resolve("m");
        ok("volume create a --block-size 256KiB --compression none");
        for (int i = 0; i < 4; i++) {
            var bytes = new byte[SIZE];
            new Random(i).nextBytes(bytes);
            Files.write(directory.resolve("f" + i), bytes);
        }
        ok("mkdir a:/train");
        ok("put %s %s a:/train/".formatted(directory.resolve("f0"), directory.resolve("f1")));
        ok("put %s %s a:/".formatted(directory.resolve("f2"), directory.resolve("f3")));
    }

    private Ended ok(String line) {
        Ended ended = scratch.run(line);
        assertThat(ended.status()).as(line + "\n" + ended.err()).isZero();
        return ended;
    }

    private MountedVolume mounted() throws Exception {
        return new MountedVolume(scratch, "a", mountPoint,
                "--cache-dir %s --cache-size 8MiB --cache-memory 4MiB".formatted(cache));
    }

    private List<Path> blocks() throws IOException {
        while (true) {
            try (var all = Files.walk(cache)) {
                return all.filter(path -> path.getFileName().toString().matches("[0-9a-f]{16}")).toList();
            } catch (UncheckedIOException changing) {
                assertThat(changing).as("a file that went away meanwhile")
                        .hasCauseInstanceOf(NoSuchFileException.class);
            }
        }
    }

    @Test
    void warmPinEvictResizeAndFlush() throws Exception {
        try (var mount = mounted()) {
            assertThat(ok("cache warm a:/train --dry-run").out())
                    .contains("warm", "a:/train", "2 files, 2MiB", cache.toString());
            assertThat(blocks()).isEmpty();
            assertThat(ok("cache warm %s/train -o csv --columns volume,paths,files,size,state".formatted(mountPoint))
                    .out())
                    .isEqualTo("volume,paths,files,sizeBytes,state\na,/train,2,2097152,warm\n");
            assertThat(blocks()).hasSize(8);
            assertThat(ok("cache warm a:/train -o value:fetched").out().strip()).isEqualTo("0");
            assertThat(mount.cat("train/f0")).isEqualTo(SIZE);
            assertThat(ok("cache status a -o csv --columns hits,misses").out()).contains("8,0");

            assertThat(ok("cache pin a:/train/f0 --expires 7d -o csv --columns path,files,blocks").out())
                    .isEqualTo("path,files,blocks\n/train/f0,1,4\n");
            assertThat(ok("cache pins -o csv --columns volume,path,blocks,then").out())
                    .isEqualTo("volume,path,blocks,then\na,/train/f0,4,evictable\n");
            assertThat(ok("cache status -o value:pinned").out().strip()).matches("10[0-9]{5}");
            ok("cache warm a:/f2");
            ok("cache evict %s/train".formatted(mountPoint));
            assertThat(blocks()).as("f0, which is pinned, and f2").hasSize(8);
            ok("cache evict --all");
            assertThat(blocks()).as("what is pinned").hasSize(4);

            Ended tooSmall = scratch.run("cache resize %s 1MiB".formatted(mountPoint));
            assertThat(tooSmall.status()).isEqualTo(8);
            assertThat(tooSmall.err()).contains("may be pinned (75%)");
            ok("cache warm a:/");
            assertThat(blocks()).hasSize(16);
            assertThat(ok("cache resize %s 2MiB --dry-run".formatted(cache)).out())
                    .contains("resize", "2MiB, was 8MiB");
            ok("cache resize %s 2MiB".formatted(mountPoint));
            assertThat(blocks()).as("at once").hasSizeBetween(4, 7);
            assertThat(ok("cache status -o value:quota").out().strip()).isEqualTo("2097152");
            Ended full = scratch.run("cache warm a:/ -o value:state");
            assertThat(full.status()).isEqualTo(8);
            assertThat(full.out().strip()).isEqualTo("full");
            assertThat(full.err()).contains("the cache is full");

            Ended large = scratch.run("cache warm a:/ --pin");
            assertThat(large.status()).isEqualTo(8);
            assertThat(large.err()).contains("do not fit");
            ok("cache unpin a:/train/f0");
            assertThat(scratch.run("cache unpin a:/train/f0").status()).isEqualTo(3);
            mount.write("g", new byte[5000]);
            ok("cache flush");
            assertThat(ok("cache flush %s -o value:left".formatted(mountPoint)).out().strip()).isEqualTo("0");
        }
    }

    @Test
    void theKernelReadsWholeCopiesOfASnapshot() throws Exception {
        assumeTrue(TestMount.passesThrough(), "the kernel reads backing files");
        ok("snapshot create a@s");
        try (var mount = new MountedVolume(scratch, "a@s", mountPoint,
                "--cache-dir %s --cache-size 8MiB --cache-memory 4MiB --cache-expand auto".formatted(cache))) {
            Eventually.holds("it is read from its copy", () -> {
                assertThat(mount.cat("f2")).isEqualTo(SIZE);
                return !ok("mounts stats %s -o csv --columns operation,count".formatted(mountPoint)).out()
                        .contains("\"whole copy, opened\",0\n");
            });
            assertThat(ok("mounts stats %s -o csv --columns operation,count,bytes".formatted(mountPoint)).out())
                    .contains("whole copies,1,1048576\n", "\"whole copy, made\",1,", "\"whole copy, damaged\",0,");
            assertThat(ok("cache status -o value:quota").out().strip()).as("the rest").isEqualTo("4194304");
            assertThat(ok("mounts show %s -o value:options".formatted(mountPoint)).out()).contains("cache_expand");
        }
    }

    @Test
    void wholeCopiesAreRefusedWhereThereCanBeNone() throws IOException {
        assumeTrue(TestMount.passesThrough(), "the kernel reads backing files");
        var key = Files.write(directory.resolve("key"), new byte[32]);
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        ok("volume create secret --encrypt key-file:" + key);
        Files.createDirectories(mountPoint);
        Ended encrypted = scratch.run("mount secret %s --foreground --cache-dir %s --cache-expand auto"
                .formatted(mountPoint, cache));
        assertThat(encrypted.status()).isEqualTo(2);
        assertThat(encrypted.err()).contains("secret is encrypted");
        Ended nowhere = scratch.run("mount a %s --cache-expand auto".formatted(mountPoint));
        assertThat(nowhere.status()).isEqualTo(2);
        assertThat(nowhere.err()).contains("--cache-expand needs --cache-dir");
        Ended bucket = scratch.run("mount s3://b/c %s --cache-dir %s --cache-expand auto".formatted(mountPoint, cache));
        assertThat(bucket.status()).isEqualTo(2);
        assertThat(bucket.err()).contains("--cache-expand is for volumes");
    }

    @Test
    void stoppedAndRunAgainItGoesOn() throws Exception {
        try (var _ = mounted()) {
            var cancellation = new Cancellation();
            var warming = CompletableFuture.supplyAsync(() ->
                    scratch.run("cache warm a:/ --limit 128KiB/s --parallel 1", cancellation));
            Eventually.holdsDuring(warming, "something is cached", () -> !blocks().isEmpty());
            cancellation.request();
            assertThat(Eventually.result("the end of warming", warming).status()).isEqualTo(130);
            int there = blocks().size();
            assertThat(there).isBetween(1, 15);
            assertThat(ok("cache warm a:/ -o value:cached").out().strip()).isNotEqualTo("0");
            assertThat(blocks()).hasSize(16);
        }
    }

    @Test
    void prefetchFollowsTheReaderAndEpochsAreCounted() throws Exception {
        try (var mount = mounted()) {
            assertThat(scratch.run("prefetch a --order /nowhere/list").status()).isEqualTo(3);
            Ended missing = scratch.feed("prefetch a --order - -o csv --columns listed,loaded,missing",
                    "f2\nnothing\n/train/f0\n");
            assertThat(missing.out()).isEqualTo("listed,loaded,missing\n3,2,1\n");
            assertThat(missing.status()).isEqualTo(10);
            assertThat(missing.err()).contains("1 of 3 names match no file of volume 'a'");
            var list = Files.writeString(directory.resolve("order.txt"), "train/f0\ntrain/f1\nf2\nf3\n");
            var following = CompletableFuture.supplyAsync(() ->
                    scratch.run("prefetch %s --order %s --ahead 1 -o value:loaded".formatted(mountPoint, list)));
            // it may begin late, and hears only of files that are opened from then on
            Eventually.holds("it has followed", () -> {
                for (var file : List.of("train/f0", "train/f1", "f2")) {
                    mount.cat(file);
                }
                return following.isDone();
            });
            Ended followed = Eventually.result("what was followed", following);
            assertThat(followed.status()).as(followed.err()).isZero();
            assertThat(Integer.parseInt(followed.out().strip())).isBetween(1, 4);
            mount.cat("f3");

            var names = directory.resolve("names");
            assertThat(new ProcessBuilder("mkfifo", names.toString()).start().waitFor()).isZero();
            var cancellation = new Cancellation();
            var endless = CompletableFuture.supplyAsync(() ->
                    scratch.run("prefetch a --order %s --ahead 1".formatted(names), cancellation));
            Eventually.result("somebody who reads the names", CompletableFuture.supplyAsync(() -> copied(list, names)));
            assertThat(endless).as("nobody reads the files").isNotDone();
            cancellation.request();
            assertThat(Eventually.result("its end", endless).status()).isEqualTo(130);

            waitsForAFifo();

            assertThat(ok("cache epochs a -o csv --columns tier,pass").out()).contains("memory,1", cache + ",1");
            assertThat(ok("cache epochs --sizes -o csv --columns tier,factor,size").out())
                    .contains("memory,0.5x,2097152", cache + ",2.0x,16777216");
            assertThat(scratch.run("cache epochs nothing").status()).isEqualTo(3);
        }
    }

    private static long copied(Path from, Path fifo) {
        try (var out = Files.newOutputStream(fifo)) {
            return Files.copy(from, out);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Nobody writes to it: that is said, and Ctrl-C ends it. */
    private void waitsForAFifo() throws Exception {
        var fifo = directory.resolve("fifo");
        assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor()).isZero();
        var cancellation = new Cancellation();
        var host = new TestHost();
        var waiting = CompletableFuture.supplyAsync(() ->
                scratch.run(host, "prefetch a --order %s --ahead 1".formatted(fifo), cancellation));
        Eventually.value("it says what it waits for", () -> {
            assertThat(waiting).as(host.err()).isNotDone();
            return host.err();
        }, said -> said.contains("waiting for a program to open FIFO " + fifo));
        cancellation.request();
        assertThat(Eventually.result("its end", waiting).status()).isEqualTo(130);
        Files.write(fifo, new byte[0]);   // lets the thread go that is still at the door
    }

    @Test
    void pinsSurviveTheMount() throws Exception {
        try (var _ = mounted()) {
            ok("cache warm a:/train --pin");
        }
        ok("cache evict " + cache);
        assertThat(blocks()).hasSize(8);
        try (var _ = mounted()) {
            assertThat(ok("cache pins a -o value:path").out().strip()).isEqualTo("/train");
            Ended busy = scratch.run("cache warm a:/train --cache-dir " + directory.resolve("elsewhere"));
            assertThat(busy.status()).as("a cache of its own, beside the mount: " + busy.err()).isZero();
        }
        ok("cache unpin a:/train --cache-dir " + cache);
        ok("cache evict " + cache);
        assertThat(blocks()).isEmpty();
    }

    @Test
    void theKernelHoldsWhatWasWarmedForIt() throws Exception {
        assertThat(scratch.run("cache warm a:/train --page-cache").err())
                .contains("is on no mount", "volsh mount a ./a");
        try (var _ = new MountedVolume(scratch, "a", mountPoint, "--cache-memory 4MiB")) {
            var pages = "sys pagecache %s/train -o csv --columns resident".formatted(mountPoint);
            assertThat(ok(pages).out()).isEqualTo("residentBytes\n0\n0\n");
            assertThat(ok("cache warm a:/train --page-cache --dry-run").out()).contains("2 files, into the page cache");
            assertThat(ok(pages).out()).isEqualTo("residentBytes\n0\n0\n");
            var warm = "-o csv --columns volume,files,size,cached,fetched,state";
            assertThat(ok("cache warm a:/train --page-cache " + warm).out())
                    .endsWith("a,2,2097152,0,2097152,page cache\n");
            assertThat(ok(pages).out()).isEqualTo("residentBytes\n1048576\n1048576\n");
            assertThat(ok("cache warm %s/train/f0 --page-cache %s".formatted(mountPoint, warm)).out())
                    .endsWith("a,1,1048576,1048576,0,page cache\n");
        }
    }

    @Test
    void whatCannotBeDoneIsSaid() {
        Ended none = scratch.run("cache warm a:/train");
        assertThat(none.status()).isEqualTo(3);
        assertThat(none.err()).contains("no mount of volume 'a' has a cache directory", "--cache-dir ./cache");
        assertThat(scratch.run("cache warm /somewhere/else").err()).contains("is not on a mount");
        assertThat(scratch.run("cache warm a:/nowhere --cache-dir " + cache).status()).isEqualTo(3);
        assertThat(scratch.run("cache warm nothing:/ --cache-dir " + cache).status()).isEqualTo(3);
        assertThat(scratch.run("cache warm a:/ --parallel 0 --cache-dir " + cache).status()).isEqualTo(2);
        assertThat(scratch.run("cache warm a:/ --expires 1d --cache-dir " + cache).err()).contains("need --pin");
        assertThat(scratch.run("cache pin a:/ --drop --cache-dir " + cache).err()).contains("--drop needs --expires");
        assertThat(scratch.run("cache evict").status()).isEqualTo(2);
        assertThat(scratch.run("cache evict --all " + cache).status()).isEqualTo(2);
        assertThat(scratch.run("cache resize /nowhere 1GiB").status()).isEqualTo(3);
        assertThat(scratch.run("cache flush /nowhere").status()).isEqualTo(3);
    }
}
