package volsh.mount;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.catalog.Access;
import volsh.catalog.Home;
import volsh.catalog.VolumeDraft;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.vfs.Import;
import volsh.vfs.Vfs;
import volsh.volume.Durability;
import volsh.volume.OpeningRequest;
import volsh.volume.Volumes;
import volsh.writeback.Writeback;

/** How safe a directory is, every file in it says. */
@Tag("disk")
@Tag("data")
final class DurabilityScaleTest {
    private static final int FILES = Boolean.getBoolean("volsh.long") ? 100_000 : 600;

    @TempDir
    Path directory;

    @Test
    void everyFileOfADirectoryCounts() throws Exception {
        var volumes = new Volumes(Home.of(Map.of("VOLSH_HOME", directory.toString()), false), InstantSource.system(),
                Owner.ROOT);
        volumes.create(VolumeDraft.named("v"));
        var lazy = new Writeback(Optional.empty(), Writeback.LIMIT, Duration.ofHours(1), Duration.ZERO);
        try (var volume = volumes.open(OpeningRequest.of("v", Access.WRITE, "test").lasting(Optional.of(lazy)))) {
            for (int from = 0; from < FILES; from += 60) {
                var pieces = new ArrayList<Import.Piece>();
                for (int i = from; i < Math.min(FILES, from + 60); i++) {
                    pieces.add(new Import.Piece(Vfs.ROOT, Name.of("f%06d".formatted(i)), 0644, Owner.ROOT, 0, 0,
                            ByteBuffer.wrap(new byte[] {1})));
                }
                new Import(volume.vfs()).run(pieces);
            }
            var root = volume.vfs().attributes(Vfs.ROOT);
            assertThat(new Durabilities(volume, ino -> false).of(root).state()).isEqualTo(Durability.State.STORED);
            try (var last = volume.vfs().create(Vfs.ROOT, Name.of("last"), 0644, Owner.ROOT)) {
                last.write(0, ByteBuffer.wrap(new byte[100_000]));
                last.fsync();
            }
            assertThat(new Durabilities(volume, ino -> false).of(root).state()).as("the last one is in the journal")
                    .isEqualTo(Durability.State.STAGED);
        }
    }
}
