package volsh.command.mount;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;
import volsh.volume.SessionControl;

/**
 * States of trouble, and what {@code status}, {@code mounts show}, {@code events}, {@code doctor}, exit codes and the kernel say of each: never "ok", and everywhere the
 * same. The table is in docs/SEMANTICS.md; a full store is in {@link LeavingMountsTest}, full disks are in {@link FullDisksTest}.
 */
@Timeout(150)
final class LiesTest {
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

    /** Everywhere the same word, sentence, command and exit code. */
    private void told(ServedVolume served, int exit, String word, String sentence, String command) {
        served.says("status -o json", exit, sentence, command);
        served.says("mounts show %s -o json".formatted(point), exit, word, sentence, command);
        served.says("mounts list -o value:state", 0, word);
        served.says("doctor -o json", exit, word, sentence, command);
        served.says("events", 0, word + ": ", sentence);
    }

    @Test
    void aKilledMount() throws Exception {
        volume(directory.resolve("store"));
        try (var served = new ServedVolume(scratch, "data", point, "")) {
            assertThat(served.sh("echo kept >f && sync f").said()).isEmpty();
            served.child().kill();
            served.child().exitCode();
            assertThat(served.sh("cat f").said()).contains("Transport endpoint is not connected");
            served.says("status -o json", 6, "its process is gone", "volsh mounts recover");
            served.says("mounts show %s -o value:state".formatted(point), 6, "dead");
            served.says("mounts list -o value:state", 0, "dead");
            served.says("doctor -o json", 11, "is dead", "volsh mounts recover");
            scratch.ok("mounts recover");
            served.says("events", 0, "was gone: what was left of it is cleared away");
            assertThat(scratch.run("mounts list -o name").out()).isEmpty();
        }
        assertThat(scratch.ok("cat data:/f").out()).isEqualTo("kept\n");
    }

    @Test
    void aReadOnlyStore() throws Exception {
        try (var disk = SmallDisk.mount(directory.resolve("disk"), 8)) {
            volume(disk.directory().resolve("store"));
            try (var served = new ServedVolume(scratch, "data", point, "")) {
                disk.makeReadOnly();
                assertThat(served.write("f", 2).said()).contains("Input/output error");
                told(served, 9, "refused", "cannot be written out", "volsh umount --discard --dry-run " + point);
                var refused = scratch.run("umount " + point);
                assertThat(refused.status()).as(refused.err()).isEqualTo(9);
                scratch.ok("umount --discard %s --confirm data".formatted(point));
            }
        }
    }

    /** Its session is ended by somebody else, with bytes that are not written: they are told of, and there is a way out. */
    @Test
    void aFencedMount() throws Exception {
        volume(directory.resolve("store"));
        try (var served = new ServedVolume(scratch, "data", point, "")) {
            assertThat(served.sh("echo kept >f && sync f").said()).isEmpty();
            try (var control = scratch.volumes().sessionControl("data")) {
                fenceAll(control);
            }
            assertThat(served.write("late", 2).said()).contains("Stale file handle");
            assertThat(served.sh("cat f").said()).as("reading works").isEqualTo("kept\n");
            served.says("status -o json", 4, "its session was ended by others", "volsh umount " + point);
            served.says("mounts show %s -o json".formatted(point), 4, "\"fenced\"", "its session was ended by others");
            served.says("mounts list -o value:state", 0, "fenced");
            served.says("doctor -o json", 4, "fenced", "its session was ended by others");
            served.says("events", 0, "fenced: its session was ended by others");
            scratch.ok("umount " + point);
            assertThat(served.child().exitCode()).isZero();
        }
        assertThat(scratch.ok("cat data:/f").out()).isEqualTo("kept\n");
    }

    private static void fenceAll(SessionControl control) throws Exception {
        for (var open : control.list()) {
            control.fence(open.session().id(), true);
        }
    }

    /** The home that had the volume before it was attached in another one. */
    @Test
    void attachedElsewhere() throws Exception {
        var store = directory.resolve("bucket");
        scratch.ok("store add s1 file://" + store);
        scratch.ok("volume create data --store s1 --ship-metadata on");
        var other = new Scratch(directory.resolve("other"));
        var attached = other.run("volume attach file://%s --volume data".formatted(store));
        assertThat(attached.status()).as(attached.err()).isZero();
        other.ok("mkdir data:/theirs");
        var status = scratch.run("status -o json");
        assertThat(status.out()).contains("\"fenced\"", "was attached elsewhere", "volsh volume show data");
        assertThat(status.status()).isEqualTo(4);
    }

    @Test
    void aFullAndAReadOnlyHome() throws Exception {
        try (var disk = SmallDisk.mount(directory.resolve("disk"), 4)) {
            var small = new Scratch(disk.directory().resolve("home"));
            small.ok("store add s1 file://" + directory.resolve("store"));
            small.ok("volume create data --store s1");
            disk.fill();
            var full = small.run("status -o json");
            assertThat(full.out()).contains("\"full\"", "no space left on the disk of the home", "df -h ");
            assertThat(full.status()).isEqualTo(8);
            disk.free();
            disk.makeReadOnly();
            var refused = small.run("status -o json");
            assertThat(refused.out()).contains("the home cannot be written");
            assertThat(refused.status()).as("or worse: the metadata cannot be opened").isIn(6, 9);
        }
    }

    @Test
    void aStoppedProcess() throws Exception {
        volume(directory.resolve("store"));
        try (var served = new ServedVolume(scratch, "data", point, "")) {
            served.child().signal("STOP");
            try {
                served.says("status -o json --timeout 1s", 6, "unavailable");
            } finally {
                served.child().signal("CONT");
            }
            served.says("status -o csv --columns kind,health", 0, "mount,ok");
            scratch.ok("umount " + point);
            assertThat(Files.exists(point)).isTrue();
        }
    }
}
