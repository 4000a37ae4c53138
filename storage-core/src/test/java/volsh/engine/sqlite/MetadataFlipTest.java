package volsh.engine.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.engine.RowChecksum;
import volsh.fs.DirectoryEntry;
import volsh.fs.FileKind;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.meta.Namespace;
import volsh.vfs.TestVolume;
import volsh.vfs.Vfs;

/** Single bits of a volume's database are flipped wherever they are: what is read is what was written, or an error. */
final class MetadataFlipTest {
    private static final int FLIPS = Boolean.getBoolean("volsh.long") ? 1_000 : 40;

    @TempDir
    Path directory;
    private byte[] whole;
    private TreeMap<String, String> expected;

    @BeforeEach
    void fill() throws Exception {
        var path = Files.createDirectory(directory.resolve("whole")).resolve("meta.db");
        try (var engine = SqliteMetaEngine.create(path)) {
            var volume = TestVolume.open(engine, new MemoryBlockStore(), new ChunkSettings(4096, 2048, 1 << 20),
                    Runnable::run, Instant::now);
            var random = new Random(1);
            var vfs = volume.vfs();
            for (int d = 0; d < 6; d++) {
                long sub = vfs.makeDirectory(Vfs.ROOT, Name.of("directory-" + d), 0755, Owner.ROOT).ino();
                for (int f = 0; f < 25; f++) {
                    byte[] bytes = new byte[f % 8 == 7 ? 20_000 : random.nextInt(1, 2000)];
                    random.nextBytes(bytes);
                    try (var file = vfs.create(sub, Name.of("file-" + f), 0644, Owner.ROOT)) {
                        file.write(0, ByteBuffer.wrap(bytes));
                    }
                }
                vfs.makeSymlink(sub, Name.of("link"), ("target-" + d).getBytes(StandardCharsets.UTF_8), Owner.ROOT);
            }
            volume.close();
        }
        whole = Files.readAllBytes(path);
        try (var engine = SqliteMetaEngine.open(path)) {
            expected = seen(engine);
        }
        assertThat(expected).hasSize(6 * 27);
    }

    /** Everything that a reader of the whole tree is told. */
    private static TreeMap<String, String> seen(MetaEngine engine) throws IOException {
        var names = new Namespace(engine, InstantSource.system(), 0);
        var seen = new TreeMap<String, String>();
        walk(names, Namespace.ROOT, "", seen);
        return seen;
    }

    private static void walk(Namespace names, long directory, String path, TreeMap<String, String> seen)
            throws IOException {
        List<DirectoryEntry> entries = names.list(directory, null, 10_000);
        names.requireWhole(directory, entries.size());
        for (var entry : entries) {
            var attributes = names.lookup(directory, entry.name());
            var text = new StringBuilder(attributes.toString());
            if (entry.kind() == FileKind.REGULAR) {
                var content = names.files().content(entry.ino(), 0, attributes.size());
                text.append(content.inline() == null ? "" : HexFormat.of().formatHex(content.inline()))
                        .append(content.extents());
                new TreeMap<>(content.blocks()).values()
                        .forEach(block -> text.append(block.rawSize()).append(HexFormat.of().formatHex(block.index())));
            } else if (entry.kind() == FileKind.SYMLINK) {
                text.append(HexFormat.of().formatHex(names.readSymlink(entry.ino())));
            }
            seen.put(path + "/" + entry.name(), text.toString());
            if (entry.kind() == FileKind.DIRECTORY) {
                walk(names, entry.ino(), path + "/" + entry.name(), seen);
            }
        }
    }

    private enum Outcome { NOTHING, TOLD, SILENT }

    private Outcome flip(long bit) throws Exception {
        byte[] flipped = whole.clone();
        flipped[(int) (bit / 8)] ^= (byte) (1 << bit % 8);
        var place = Files.createTempDirectory(directory, "flip");
        var path = Files.write(place.resolve("meta.db"), flipped);
        try (var engine = SqliteMetaEngine.open(path)) {
            return seen(engine).equals(expected) ? Outcome.NOTHING : Outcome.SILENT;
        } catch (IOException told) {
            return Outcome.TOLD;
        } finally {
            for (var suffix : List.of("", "-wal", "-shm", "-tip")) {
                Files.deleteIfExists(place.resolve("meta.db" + suffix));
            }
            Files.delete(place);
        }
    }

    @Test
    void everyFlippedBitIsToldOrWithoutEffect() throws Exception {
        long seed = Long.getLong("volsh.seed", System.nanoTime());
        var random = new Random(seed);
        var silent = new ArrayList<Long>();
        int told = 0;
        for (int i = 0; i < FLIPS; i++) {
            long bit = random.nextLong(8L * whole.length);
            var outcome = flip(bit);
            told += outcome == Outcome.TOLD ? 1 : 0;
            if (outcome == Outcome.SILENT) {
                silent.add(bit);
            }
        }
        System.out.println("metadata flips, seed %d: %d of %d in %d KiB told, %d silent"
                .formatted(seed, told, FLIPS, whole.length >> 10, silent.size()));
        assertThat(silent).as("seed %d: silent flips at bits, pages %s", seed,
                silent.stream().map(bit -> bit / 8 / 4096 + "+" + bit / 8 % 4096).toList()).isEmpty();
        assertThat(told).as("some of it is used").isPositive();
    }

    /** That the test would see it: a changed row with a checksum that matches is read as it is. */
    @Test
    void aChangeWithTheRightChecksumIsSeenAsOtherBytes() throws Exception {
        var path = directory.resolve("forged.db");
        Files.write(path, whole);
        try (var engine = SqliteMetaEngine.open(path)) {
            var row = engine.read(tx -> tx.scan(MetaKey.of((byte) 'D'), MetaKey.of((byte) 'E'), 1)).getFirst();
            byte[] value = row.value().clone();
            value[9] ^= 1;
            assertThat(RowChecksum.isSound(row.key().bytes(), RowChecksum.seal(row.key(), value))).isTrue();
            engine.transact(tx -> {
                tx.put(row.key(), value);
                return null;
            });
            assertThat(seen(engine)).isNotEqualTo(expected);
        }
    }
}
