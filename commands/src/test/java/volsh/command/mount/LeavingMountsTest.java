package volsh.command.mount;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;
import volsh.hang.Eventually;

/**
 * A mount that cannot write out what it has: plain umount refuses with the right code, every hint works, and there is
 * always a way out.
 */
@Timeout(150)
final class LeavingMountsTest {
    @TempDir
    Path directory;
    private Scratch scratch;
    private Path point;

    @BeforeEach
    void home() {
        scratch = new Scratch(directory.resolve("home"));
        point = directory.resolve("mnt");
    }

    private void volume(Path store) {
        scratch.ok("store add s1 file://" + store);
        scratch.ok("volume create data --store s1 --block-size 1MiB");
    }

    /**
     * Orders trouble for the store, as 'volsh chaos' does by a clock that is right; processes look for it ten times a
     * second.
     */
    private void chaos(String store, String words) throws IOException, InterruptedException {
        var orders = Files.createDirectories(scratch.homes().state().resolve("chaos"));
        Files.writeString(orders.resolve(store),
                "until=%s %s".formatted(Instant.now().plus(Duration.ofHours(1)), words));
        Thread.sleep(200);
    }

    @Test
    void aFullStoreIsTheSameTroubleEverywhereAndRemovingTheFileEndsIt() throws Exception {
        try (var disk = SmallDisk.mount(directory.resolve("disk"), 8)) {
            volume(disk.directory().resolve("store"));
            try (var served = new ServedVolume(scratch, "data", point, "")) {
                assertThat(served.write("small", 2).status()).isZero();
                assertThat(served.write("big", 12).said()).contains("No space left");
                served.says("status -o json", 8, "\"full\"", "cannot be written out", "volsh du data:/");
                assertThat(scratch.run("status -o csv --columns kind,name,health").out()).as("the store says so, too")
                        .contains("store,s1,full");
                served.says("mounts show %s -o json".formatted(point), 8, "\"full\"", "cannot be written out",
                        "volsh du data:/");
                assertThat(scratch.run("status -o csv --columns kind,next").out())
                        .containsPattern("store,volsh (du data:/|volume gc data --delete)");
                served.says("mounts list -o value:state", 0, "full");
                served.says("doctor -o json", 8, "full", "cannot be written out", "volsh du data:/");
                served.says("events", 0, "full: ", "cannot be written out");
                var refused = scratch.run("umount " + point);
                assertThat(refused.status()).as(refused.err()).isEqualTo(8);
                assertThat(refused.err()).contains("volsh umount --discard --dry-run " + point,
                        "volsh umount --lazy " + point);
                assertThat(scratch.run("umount --discard --dry-run " + point).out())
                        .containsPattern("would discard /big \\([67]MiB, written since .*No space left");
                var unconfirmed = scratch.run("umount --discard -y " + point);
                assertThat(unconfirmed.status()).isEqualTo(2);
                assertThat(unconfirmed.err()).contains("--confirm data");
                assertThat(served.sh("rm big && ls").said()).as("still mounted").isEqualTo("small\n");
                served.says("mounts list -o value:state", 0, "ok");
                assertThat(served.sh("for i in 1 2; do head -c 3145728 /dev/urandom >next && exit 0; done; exit 1")
                        .status())
                        .as("what was removed is given back while the write waits: at the first try, "
                                + "unless the machine stalls").isZero();
                scratch.ok("umount " + point);
                assertThat(served.child().exitCode()).isZero();
            }
        }
        assertThat(scratch.run("events").out()).contains("resolved: full");
    }

    @Test
    void spaceThatReturnsIsUsedByItselfAndDiscardLosesExactlyWhatItSays() throws Exception {
        try (var disk = SmallDisk.mount(directory.resolve("disk"), 8)) {
            volume(disk.directory().resolve("store"));
            try (var served = new ServedVolume(scratch, "data", point, "")) {
                disk.fill();
                assertThat(served.sh("head -c 100000 /dev/urandom >f; sync f").said()).contains("No space left");
                served.says("mounts list -o value:state", 0, "full");
                served.says("status -o csv --columns kind,atRisk,since", 8, "mount,100000,20");
                served.says("mounts show %s -o json".formatted(point), 8, "\"atRisk\": \"97.7KiB, 0 commits, for ",
                        "\"bufferedBytes\": 100000");
                disk.free();
                served.says("mounts list -o value:state", 0, "ok");
                assertThat(served.write("small", 2).status()).isZero();
                var wrong = scratch.run("umount --discard %s --confirm WRONG".formatted(point));
                assertThat(wrong.status()).as("a wrong name, with nothing to lose").isEqualTo(2);
                assertThat(wrong.err()).contains("--confirm names 'WRONG', not 'data'");
                disk.fill();
                assertThat(served.write("lost", 2).said()).contains("No space left");
                assertThat(scratch.run("umount --discard %s --confirm WRONG".formatted(point)).status()).isEqualTo(2);
                var left = scratch.ok("umount --discard %s --confirm data".formatted(point));
                assertThat(left.err()).contains("discarded 2MiB of /lost");
                assertThat(served.child().exitCode()).isZero();
            }
            assertThat(scratch.run("events").out()).contains("discarded by 'umount --discard': /lost (2MiB");
            assertThat(scratch.run("mounts list -o name").out()).isEmpty();
            disk.free();
            assertThat(scratch.ok("stat data:/f -o value:size").out().trim()).isEqualTo("100000");
            assertThat(scratch.ok("stat data:/small -o value:size").out().trim()).isEqualTo(Integer.toString(2 << 20));
        }
    }

    @Test
    void lazyDetachesAtOnceAndASilentStoreIsNotWaitedForLongerThanAsked() throws Exception {
        volume(directory.resolve("store"));
        scratch.ok("store add s2 file://" + directory.resolve("another"));
        scratch.ok("volume create other --store s2");
        try (var served = new ServedVolume(scratch, "data", point, "")) {
            chaos("s1", "down");
            assertThat(served.write("late", 2).said()).contains("Input/output error");
            var refused = scratch.run("umount " + point);
            assertThat(refused.status()).as(refused.err()).isEqualTo(6);
            assertThat(scratch.ok("umount --lazy " + point).err()).contains("continues to write out", "volsh status");
            served.says("mounts list -o value:state", 0, "detached");
            served.says("status", 6, "unmounted, but process", "is still writing out");
            assertThat(new ProcessBuilder("mountpoint", "-q", point.toString()).start().waitFor())
                    .as("nothing is mounted there").isNotZero();
            try (var again = new ServedVolume(scratch, "other", point, "")) {
                assertThat(scratch.run("mounts list -o value:state").out().lines().toList()).as("both are told of")
                        .containsExactlyInAnyOrder("ok", "detached");
                assertThat(again.sh("ls").status()).isZero();
                aDetachedProcessAnswersForItself(again, served.child().pid());
                Files.delete(scratch.homes().state().resolve("chaos/s1"));
                assertThat(served.child().exitCode()).as("it ended when all was written").isZero();
                silent(again);
            }
        }
        assertThat(scratch.ok("stat data:/late -o value:size").out().trim()).isEqualTo(Integer.toString(2 << 20));
    }

    /** Beside another mount on the same directory. */
    private void aDetachedProcessAnswersForItself(ServedVolume again, long pid) {
        var status = again.says("status -o csv --columns name,atRisk,next", 6, "%s,0,".formatted(point),
                "volsh store probe s1").out();
        // one of its two blocks may have been stored before the store was away
        assertThat(status).containsPattern("\\(process %d\\),[12]\\d{6},".formatted(pid));
        assertThat(scratch.run("mounts show %s -o csv --columns source,buffered".formatted(point)).out())
                .contains("other:/,0");
        assertThat(scratch.run("mounts show --pid %d %s -o json".formatted(pid, point)).out())
                .contains("data", "\"detached\"").containsPattern("\"bufferedBytes\": [12]\\d{6}");
        assertThat(scratch.run("umount --discard --dry-run " + point).out()).doesNotContain("/late");
        assertThat(scratch.run("umount --discard --dry-run --pid %d %s".formatted(pid, point)).out()).contains("/late");
        var unknown = scratch.run("mounts flush --pid 1 " + point);
        assertThat(unknown.status()).as(unknown.err()).isEqualTo(3);
        assertThat(scratch.run("umount --all --dry-run").out().lines().filter(line -> line.contains(point.toString()))
                .count()).isEqualTo(2);
    }

    private void silent(ServedVolume served) throws Exception {
        chaos("s2", "slow=1h");
        served.start("head -c 100000 /dev/urandom >f");
        Eventually.value("/f would be discarded", () -> scratch.run("umount --discard --dry-run " + point).out(),
                plan -> plan.contains("/f "));
        var refused = scratch.run("umount --flush-timeout 1s " + point);
        assertThat(refused.status()).as(refused.err()).isEqualTo(6);
        assertThat(refused.err()).contains("1s");
        scratch.ok("umount --lazy --discard %s --confirm other".formatted(point));
        assertThat(scratch.run("mounts list -o name").out()).isEmpty();
    }
}
