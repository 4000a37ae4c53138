package volsh.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.care.Garbage;
import volsh.catalog.Refusal;
import volsh.catalog.VolumeDraft;
import volsh.catalog.VolumePath;
import volsh.fs.Owner;
import volsh.fuse.MountFlag;
import volsh.fuse.TestMount;
import volsh.meta.ChildJvm;
import volsh.volume.Volumes;

/** A snapshot mounted beside the volume it is of, each by a process of its own. */
final class PastMountTest {
    @TempDir
    private Path temporary;

    @BeforeEach
    void possible() {
        assumeTrue(Files.isWritable(Path.of("/dev/fuse")) && "root".equals(System.getProperty("user.name")),
                "needs root and /dev/fuse");
    }

    private Volumes volumes() {
        return new Volumes(ServingProcess.home(temporary.resolve("home")), InstantSource.system(), Owner.ROOT);
    }

    private ChildJvm serve(String source, Path mountPoint) throws IOException {
        var child = ChildJvm.start(temporary, ServingProcess.class, temporary.resolve("home"), source,
                Files.createDirectory(mountPoint));
        assertThat(child.line()).isEqualTo("mounted");
        return child;
    }

    @Test
    void programsReadASnapshotWhileTheVolumeGoesOn() throws Exception {
        volumes().create(VolumeDraft.named("data"));
        var now = temporary.resolve("now");
        var past = temporary.resolve("past");
        var present = serve("data", now);
        Files.createDirectory(now.resolve("d"));
        Files.write(now.resolve("d/f"), new byte[300_000]);
        Files.writeString(now.resolve("small"), "one");
        volumes().snapshots().create("data", "v1", "");
        var old = serve("data@v1", past);
        Files.writeString(now.resolve("small"), "second");
        Files.delete(now.resolve("d/f"));
        Files.delete(now.resolve("d"));
        volumes().snapshots().destroy("data", "v1");
        volumes().upkeep().collect("data", Duration.ZERO, false, Garbage.Watcher.NONE);
        assertThat(past.resolve("small")).hasContent("one");
        assertThat(past.resolve("d/f")).hasBinaryContent(new byte[300_000]);
        try (var names = Files.list(past)) {
            assertThat(names.map(path -> path.getFileName().toString())).containsExactlyInAnyOrder("d", "small");
        }
        assertThatThrownBy(() -> Files.writeString(past.resolve("small"), "x"))
                .hasMessageContaining("Read-only file system");
        assertThatThrownBy(() -> Files.delete(past.resolve("d/f"))).hasMessageContaining("Read-only file system");
        assertThat(now.resolve("small")).hasContent("second");
        TestMount.detach(past);
        TestMount.detach(now);
        assertThat(old.exitCode()).isZero();
        assertThat(present.exitCode()).isZero();
        assertThat(volumes().status("data").sessions()).isEmpty();
    }

    /** Of a process whose words are {@code mount --foreground --detached --result FILE}: the file is its fourth. */
    private static Refusal failure(Mounts mounts, MountSpec spec, String script) {
        return (Refusal) catchThrowable(() -> mounts.start(spec, List.of("sh", "-c", script), Duration.ofMinutes(1)));
    }

    /** A mount is a process of its own: what it says before it ends is what its maker is told, with what to do next. */
    @Test
    void whatAProcessAdvisesThatCannotMountIsPassedOn() throws Exception {
        volumes().create(VolumeDraft.named("data"));
        var place = Files.createDirectory(temporary.resolve("place"));
        var mounts = new Mounts(ServingProcess.home(temporary.resolve("home")), volumes(), InstantSource.system());
        var spec = MountSpec.of(VolumePath.whole("data"), place);
        var told = failure(mounts, spec, """
                echo 'error: not this [VOL-0001]'
                echo '{"ready": false, "reason": "FORBIDDEN", "message": "only reads", "hints": ["mkdir -p ./data && volsh mount data ./data --read-only"]}' >"$4"
                exit 1""");
        assertThat(told).hasMessage("cannot mount 'data:/': only reads");
        assertThat(told.reason()).isEqualTo(Refusal.Reason.FORBIDDEN);
        assertThat(told.hints()).containsExactly("volsh mount data %s --read-only".formatted(place));
        var silent = failure(mounts, spec, "echo 'error: not this [VOL-0009]'; exit 9");
        assertThat(silent)
                .hasMessage("cannot mount 'data:/': its process exited with code 9 before the mount was ready");
        assertThat(silent.reason()).isEqualTo(Refusal.Reason.UNAVAILABLE);
        assertThat(silent.hints()).singleElement().asString().startsWith("cat ");
        try (var left = Files.list(temporary.resolve("home/run/mounts"))) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void thePastIsMountedReadOnlyOnly() {
        var spec = MountSpec.of(VolumePath.whole("data@v1"), Path.of("/mnt/v1"));
        assertThat(spec.options()).startsWith("ro,").contains("attr_timeout=1h");
        assertThat(spec.words()).startsWith("data@v1:/", "/mnt/v1", "--read-only");
        assertThat(spec.label()).isEqualTo("volsh:data@v1");
        assertThatThrownBy(() -> spec.with(MountFlag.READ_ONLY, false))
                .hasMessageContaining("past states cannot be changed");
        assertThat(VolumePath.of(VolumePath.of("data@20261101T100000Z:/a").toString()))
                .isEqualTo(VolumePath.of("data@20261101T100000Z:/a"));
    }
}
