package volsh.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import volsh.cache.Quota;
import volsh.unit.ByteSize;
import volsh.volume.Caching;
import volsh.volume.VolumePath;

final class MountSpecTest {
    private static final MountSpec USUAL = MountSpec.of(new VolumePath("data", "/"), Path.of("/mnt/data"));

    private static Caching caching(String quota, String... directories) {
        return new Caching(ByteSize.of("1GiB"), List.of(directories).stream().map(Path::of).toList(), Quota.of(quota));
    }

    @Test
    void theCacheTravelsAsWords() {
        assertThat(USUAL.words()).noneMatch(word -> word.startsWith("--cache"));
        assertThat(USUAL.with(caching("80%", "/nvme0/c", "/nvme1/c")).words())
                .contains("--cache-memory=1GiB", "--cache-dir=/nvme0/c", "--cache-dir=/nvme1/c", "--cache-size=80%");
        assertThat(USUAL.with(caching("1536MiB", "/c")).words()).contains("--cache-size=1536MiB");
    }

    @Test
    void aCacheThatCannotBeIsRefused() {
        assertThatThrownBy(() -> USUAL.with(caching("1GiB", "/mnt/data/cache"))).hasMessageContaining("covered by the mount");
        assertThatThrownBy(() -> caching("1GiB", "/c", "/c")).hasMessageContaining("twice");
        assertThatThrownBy(() -> caching("1GiB", "c")).hasMessageContaining("absolute");
        assertThatThrownBy(() -> Quota.of("lots")).hasMessageContaining("not a size");
        assertThatThrownBy(() -> Quota.of("101%")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Quota.of("0")).hasMessageContaining("a cache of nothing");
    }
}
