package volsh.mount;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.assembly.CacheSettings;
import volsh.block.StoreUrl;
import volsh.cache.disk.BlockSet;
import volsh.cache.disk.Pin;
import volsh.cache.disk.Quota;
import volsh.catalog.Access;
import volsh.catalog.Home;
import volsh.catalog.VolumeDraft;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.hang.Eventually;
import volsh.unit.ByteSize;
import volsh.vfs.Vfs;
import volsh.volume.OpeningRequest;
import volsh.volume.Volume;
import volsh.volume.Volumes;

/** A mount follows the rules of its volume, and has pins end, whether or not anybody reads. */
final class CacheExpiryTest {
    @TempDir
    private Path directory;

    private static void write(Volume volume, String name) throws IOException {
        try (var file = volume.vfs().create(Vfs.ROOT, Name.of(name), 0644, Owner.ROOT)) {
            file.write(0, ByteBuffer.wrap(new byte[100_000]));
        }
    }

    @Test
    void dataLeavesAndPinsEndThoughNobodyReads() throws Exception {
        var home = new Home(directory.resolve("config"), directory.resolve("state"), directory.resolve("cache"),
                directory.resolve("run"));
        var volumes = new Volumes(home, InstantSource.system(), Owner.ROOT);
        volumes.stores().add("lake", StoreUrl.of(directory.resolve("bucket").toUri().toString()));
        volumes.create(VolumeDraft.named("data").withStore("lake").withBlockSize(ByteSize.of("64KiB")));
        volumes.settings().setCacheLifetime("data", "/short", Optional.of(Duration.ofHours(1)));
        var caching = new CacheSettings(ByteSize.of("1MiB"), List.of(directory.resolve("nvme")), Quota.of("64MiB"));
        InstantSource later = () -> Instant.now().plus(Duration.ofHours(2));
        try (var volume = volumes.open(OpeningRequest.of("data", Access.WRITE, "test").cached(caching).lasting());
                var early = new CacheExpiry(volume, InstantSource.system());
                        var late = new CacheExpiry(volume, later)) {
            write(volume, "short");
            write(volume, "long");
            Eventually.value("four blocks are cached", () -> volume.caches().directories().getFirst().blocks(),
                    blocks -> blocks == 4);
            var past = Instant.now().minusSeconds(60);
            volume.caches().requests()
                    .pin(new Pin("/long", past, Optional.of(past.plusSeconds(10)), false, BlockSet.EMPTY));
            assertThat(volume.caches().requests().pins()).hasSize(1);
            early.turn();
            Eventually.value("no pin is left", () -> volume.caches().requests().pins(), Collection::isEmpty);
            assertThat(volume.caches().directories().getFirst().blocks()).isEqualTo(4);
            late.turn();
            Eventually.value("two blocks are cached", () -> volume.caches().directories().getFirst().blocks(),
                    blocks -> blocks == 2);
        }
    }
}
