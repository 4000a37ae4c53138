package volsh.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.BlockKey;
import volsh.block.memory.MemoryBlockStore;
import volsh.disk.Disk;
import volsh.disk.OsDisk;
import volsh.disk.SimulatedDisk;

/**
 * More small blocks wait in a journal than go together, and whoever was killed before they were stored has left all of
 * them.
 */
final class StagedScaleTest {
    private static final boolean LONG = Boolean.getBoolean("volsh.long");
    private static final int BLOCKS = LONG ? 100_000 : 450;
    private static final UUID ID = new UUID(1, 1);
    private static final StagingSettings PATIENT = new StagingSettings(1L << 40, Duration.ZERO, Duration.ofHours(1));

    /** The simulated one remembers everything, which many take too long for. */
    private final Disk disk = LONG ? new OsDisk() : new SimulatedDisk();
    @TempDir
    Path directory;

    private final MemoryBlockStore bucket = new MemoryBlockStore();
    private final List<Integer> sizes = Collections.synchronizedList(new ArrayList<>());

    private void put(UUID journal, List<Packing.Item> items, ByteBuffer together) throws IOException {
        sizes.add(items.size());
        for (var item : items) {
            bucket.put(BlockKey.of(item.block()), together.slice(item.offset(), item.length()));
        }
    }

    private Staging staging(Optional<Journal> journal) {
        return new Staging(bucket, Optional.of(this::put), journal, PATIENT, InstantSource.system());
    }

    @Test
    void smallBlocksAreStoredTogetherAndFoundAgain() throws Exception {
        var killed = staging(Optional.of(Journal.create(ID, directory.resolve("journal"), disk,
                InstantSource.system())));
        for (int i = 1; i <= BLOCKS; i++) {
            killed.put(BlockKey.of(i), ByteBuffer.allocate(100).putInt(i).rewind());
        }
        assertThat(killed.status().blocks()).isEqualTo(BLOCKS);
        try (var staging = staging(Optional.empty())) {
            staging.adopt(Journal.open(ID, directory.resolve("journal"), disk, InstantSource.system()),
                    blocks -> blocks.stream().collect(Collectors.toMap(block -> block, _ -> 0)));
            assertThat(staging.status().blocks()).isEqualTo(BLOCKS);
            staging.start(2);
            assertThat(staging.drain(Duration.ofHours(1))).isTrue();
            assertThat(staging.status()).isEqualTo(StagingStatus.NOTHING);
        }
        assertThat(sizes).allMatch(size -> size <= Packing.BLOCKS_MAX);
        try (var listed = bucket.list("blocks/")) {
            assertThat(listed.count()).isEqualTo(BLOCKS);
        }
    }
}
