package volsh.volume;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.assembly.CacheDisks;
import volsh.assembly.CacheSettings;
import volsh.block.BlockKey;
import volsh.block.memory.MemoryBlockStore;
import volsh.cache.disk.Quota;
import volsh.catalog.KnownCaches;
import volsh.disk.Disk;
import volsh.disk.OsDisk;
import volsh.journal.Staging;
import volsh.journal.StagingSettings;
import volsh.unit.ByteSize;
import volsh.writeback.JournalDirectory;

/**
 * Another user swaps the directory of a journal or a cache for a link, right after it was checked and before it is
 * used: nothing is written where the link leads, and nothing is acknowledged that the next process would not find.
 */
@Tag("volume")
final class SwappedDirectoriesTest {
    private static final UUID ID = new UUID(1, 1);
    private static final Logger LOG = Logger.getLogger("volsh.journal");

    @TempDir
    Path temporary;
    private Path directory;
    private Path elsewhere;

    @BeforeEach
    void prepare() throws IOException {
        temporary = temporary.toRealPath();
        directory = temporary.resolve("ours");
        elsewhere = Files.createDirectory(temporary.resolve("elsewhere"));
        LOG.setLevel(Level.OFF);
    }

    @AfterEach
    void loud() {
        LOG.setLevel(null);
    }

    private void swap() throws IOException {
        Files.move(directory, temporary.resolve("moved"));
        Files.createSymbolicLink(directory, elsewhere);
    }

    /** A disk on which the directory is swapped as soon as this one was made and checked. */
    private Disk swappedAfter(Path checked) {
        var disk = new OsDisk();
        return (Disk) Proxy.newProxyInstance(Disk.class.getClassLoader(), new Class<?>[] {Disk.class},
                (_, method, arguments) -> {
            try {
                Object answer = method.invoke(disk, arguments);
                if (List.of("makeHeld", "makePrivateDirectories").contains(method.getName())
                        && arguments[0].equals(checked)) {
                    swap();
                }
                return answer;
            } catch (InvocationTargetException failed) {
                throw failed.getCause();
            }
        });
    }

    @Test
    void aJournal() throws IOException {
        var bucket = new MemoryBlockStore();
        var made = JournalDirectory.create(directory.resolve("volume"), swappedAfter(directory), InstantSource.system(),
                true);
        try (var _ = made.lock(); var staging = new Staging(bucket, Optional.of(made.journal()),
                new StagingSettings(1 << 20, Duration.ofHours(1)), InstantSource.system())) {
            var bytes = ByteBuffer.wrap(new byte[] {1, 2, 3});
            staging.put(BlockKey.of(1), bytes.duplicate());
            assertThat(staging.stagedSince(1)).as("the next process would not find it").isEmpty();
            var found = ByteBuffer.allocate(3);
            bucket.get(BlockKey.of(1), 0, found);
            assertThat(found.flip()).as("so it is stored").isEqualTo(bytes);
        }
        assertThat(elsewhere).isEmptyDirectory();
    }

    @Test
    void aCache() throws IOException {
        var caching = new CacheSettings(ByteSize.of("1MiB"), List.of(directory), Quota.of("1MiB"), ByteSize.of("0B"));
        Files.createDirectories(elsewhere.resolve(ID.toString()));
        new CacheDisks(swappedAfter(directory)).open(caching, ID).close();
        assertThat(elsewhere.resolve(ID.toString())).isEmptyDirectory();
        assertThat(temporary.resolve("moved").resolve(ID.toString())).isNotEmptyDirectory();
    }

    /** Its blocks are deleted; what the link leads to is not. */
    @Test
    void aCacheOfAVolumeThatIsDestroyed() throws IOException {
        var caching = new CacheSettings(ByteSize.of("1MiB"), List.of(directory), Quota.of("1MiB"), ByteSize.of("0B"));
        new CacheDisks(new OsDisk()).open(caching, ID).close();
        var known = new KnownCaches(new OsDisk(), temporary.resolve("known"));
        known.remember(ID, List.of(directory));
        swap();
        var theirs = Files.createFile(Files.createDirectories(elsewhere.resolve(ID.toString())).resolve("theirs"));
        Files.setAttribute(elsewhere.resolve(ID.toString()), "unix:mode", 0777);
        known.remove(ID);
        assertThat(theirs).exists();
        Files.delete(directory);
        Files.move(temporary.resolve("moved"), directory);
        known.remove(ID);
        assertThat(directory).isEmptyDirectory();
    }
}
