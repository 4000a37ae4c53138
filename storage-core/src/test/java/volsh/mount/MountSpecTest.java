package volsh.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import volsh.assembly.CacheSettings;
import volsh.cache.disk.Quota;
import volsh.catalog.VolumePath;
import volsh.fuse.MountFlag;
import volsh.unit.ByteSize;
import volsh.writeback.Writeback;

final class MountSpecTest {
    private static final MountSpec USUAL = MountSpec.of(new VolumePath("data", "/"), Path.of("/mnt/data"));

    private static CacheSettings caching(String quota, String... directories) {
        return new CacheSettings(ByteSize.of("1GiB"), List.of(directories).stream().map(Path::of).toList(),
                Quota.of(quota));
    }

    @Test
    void theCacheTravelsAsWords() {
        assertThat(USUAL.words()).noneMatch(word -> word.startsWith("--cache"));
        assertThat(USUAL.with(caching("80%", "/nvme0/c", "/nvme1/c")).words())
                .contains("--cache-memory=1GiB", "--cache-dir=/nvme0/c", "--cache-dir=/nvme1/c", "--cache-size=80%");
        assertThat(USUAL.with(caching("1536MiB", "/c")).words()).contains("--cache-size=1536MiB");
        assertThat(USUAL.words()).noneMatch(word -> word.startsWith("--readahead"));
        assertThat(USUAL.with(new CacheSettings(ByteSize.of("1GiB"), List.of(), CacheSettings.QUOTA,
                ByteSize.of("8MiB"))).words()).contains("--readahead=8MiB");
    }

    @Test
    void aCacheThatCannotBeIsRefused() {
        assertThatThrownBy(() -> USUAL.with(caching("1GiB", "/mnt/data/cache")))
                .hasMessageContaining("hidden by the mount");
        assertThatThrownBy(() -> caching("1GiB", "/c", "/c")).hasMessageContaining("twice");
        assertThatThrownBy(() -> caching("1GiB", "c")).hasMessageContaining("absolute");
        assertThatThrownBy(() -> Quota.of("lots")).hasMessageContaining("not a size");
        assertThatThrownBy(() -> Quota.of("101%")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Quota.of("0")).hasMessageContaining("cache size must not be 0");
    }

    @Test
    void writebackTravelsAsWords() {
        assertThat(USUAL.words()).noneMatch(word -> word.startsWith("--writeback") || word.startsWith("--journal"));
        var spec = USUAL.with(new Writeback(Optional.of(Path.of("/nvme/j")), ByteSize.of("1GiB"), Duration.ofSeconds(5),
                Duration.ofMinutes(2)));
        assertThat(spec.words()).contains("--writeback", "--journal-dir=/nvme/j", "--journal-size=1GiB",
                "--upload-delay=5s", "--flush-timeout=2m");
        assertThat(spec.options()).contains("writeback");
    }

    @Test
    void aJournalThatCannotBeIsRefused() {
        assertThatThrownBy(() -> USUAL.with(Writeback.USUAL.in(Path.of("/mnt/data/journal"))))
                .hasMessageContaining("hidden by the mount");
        assertThatThrownBy(() -> Writeback.USUAL.in(Path.of("journal"))).hasMessageContaining("absolute");
        assertThatThrownBy(() -> USUAL.with(MountFlag.READ_ONLY, true).with(Writeback.USUAL))
                .hasMessageContaining("a read-only mount cannot use --writeback");
    }

    @Test
    void theKernelRemembersNothingOfWhatOtherMachinesChange() {
        assertThat(USUAL.attributesKept()).isPositive();
        assertThat(USUAL.sharedByMachines().attributesKept()).isZero();
        assertThat(USUAL.sharedByMachines().namesKept()).isZero();
        assertThat(USUAL.withAttributeTimeout(Duration.ofSeconds(3)).sharedByMachines().attributesKept())
                .as("asked for").isEqualTo(Duration.ofSeconds(3));
        var alone = USUAL.with(MountFlag.SOLE_WRITER, true);
        assertThat(alone.sharedByMachines()).isEqualTo(alone);
    }

    @Test
    void aMachineThatCannotMountSaysSoAtOnce() throws Exception {
        Mounts.requireDevice(Path.of("/dev/null"));
        assertThatThrownBy(() -> Mounts.requireDevice(Path.of("/dev/nothing")))
                .hasMessage("FUSE is not available: this machine has no /dev/nothing");
    }
}
