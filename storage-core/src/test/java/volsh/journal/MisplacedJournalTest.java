package volsh.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.UUID;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.memory.MemoryBlockStore;
import volsh.disk.OsDisk;

/**
 * A journal whose directory or file somebody moves away or replaces while it is used: nothing more is acknowledged as
 * staged, and nothing is lost.
 */
@Tag("data")
final class MisplacedJournalTest {
    private static final UUID ID = new UUID(1, 1);
    private static final Logger LOG = Logger.getLogger("volsh.journal");

    @TempDir
    Path temporary;
    private Path directory;
    private final MemoryBlockStore bucket = new MemoryBlockStore();

    @BeforeEach
    void quiet() {
        directory = temporary.resolve("journal");
        LOG.setLevel(Level.OFF);
    }

    @AfterEach
    void loud() {
        LOG.setLevel(null);
    }

    private Staging staging() throws IOException {
        var journal = Journal.create(ID, directory, new OsDisk(), InstantSource.system());
        return new Staging(bucket, Optional.of(journal), new StagingSettings(1 << 20, Duration.ofHours(1)),
                InstantSource.system());
    }

    private static ByteBuffer bytes(int block) {
        return ByteBuffer.wrap(new byte[] {(byte) block, 2, 3});
    }

    private static ByteBuffer read(BlockStore store, int block) throws IOException {
        var target = ByteBuffer.allocate(3);
        store.get(BlockKey.of(block), 0, target);
        return target.flip();
    }

    /** The first block is staged, then something happens, then a second one comes. */
    private interface Meanwhile {
        void happens() throws IOException;
    }

    private void nothingIsLost(Meanwhile meanwhile) throws IOException {
        try (var staging = staging()) {
            staging.put(BlockKey.of(1), bytes(1));
            assertThat(staging.status().trouble()).isEmpty();
            meanwhile.happens();
            assertThat(staging.status().trouble().orElseThrow().words()).contains("was moved away or replaced");
            staging.put(BlockKey.of(2), bytes(2));
            assertThat(read(bucket, 2)).as(
                    "nobody would find it in the journal: it is stored before it is acknowledged").isEqualTo(bytes(2));
            assertThat(staging.stagedSince(2)).isEmpty();
            assertThat(read(staging, 1)).isEqualTo(bytes(1));
            assertThat(staging.storeOne()).as("what was staged before no longer waits for its hour").isTrue();
            assertThat(read(bucket, 1)).isEqualTo(bytes(1));
        }
    }

    @Test
    void aDirectoryThatIsMovedAway() throws IOException {
        nothingIsLost(() -> Files.move(directory, temporary.resolve("stolen")));
    }

    @Test
    void aDirectoryThatIsReplaced() throws IOException {
        nothingIsLost(() -> {
            Files.move(directory, temporary.resolve("stolen"));
            Files.createDirectory(directory);
        });
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void aFileThatIsReplacedByAnother() throws IOException {
        nothingIsLost(() -> {
            var file = directory.resolve("000001.journal");
            Files.move(file, temporary.resolve("stolen"));
            Files.write(file, new byte[10_000]);
        });
        assertThat(directory.resolve("000001.journal")).as("it is not ours to delete").exists();
    }

    @Test
    void aDirectoryThatIsALinkToTheOldOneNow() throws IOException {
        nothingIsLost(() -> {
            Files.move(directory, temporary.resolve("stolen"));
            Files.createSymbolicLink(directory, Path.of("elsewhere"));
        });
    }

    @Test
    void whatIsMovedBackIsUsedAgain() throws IOException {
        try (var staging = staging()) {
            staging.put(BlockKey.of(1), bytes(1));
            Files.move(directory, temporary.resolve("stolen"));
            assertThat(staging.status().trouble()).isPresent();
            Files.move(temporary.resolve("stolen"), directory);
            assertThat(staging.status().trouble()).isEmpty();
            staging.put(BlockKey.of(2), bytes(2));
            assertThat(staging.stagedSince(2)).isPresent();
        }
    }
}
