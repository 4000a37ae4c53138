package volsh.meta;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import volsh.block.BlockKey;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.engine.Delta;
import volsh.engine.Keys;
import volsh.engine.MetaKey;
import volsh.engine.memory.MemoryMetaEngine;
import volsh.fs.Extent;
import volsh.fs.FileKind;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.vfs.ManualClock;
import volsh.vfs.TestVolume;
import volsh.vfs.Vfs;

/** The audit finds nothing in a good volume, and each kind of damage. */
final class MetadataAuditTest {
    private final MemoryMetaEngine engine = new MemoryMetaEngine();
    private final MemoryBlockStore store = new MemoryBlockStore();
    private TestVolume volume;
    private long directory;
    private long file;
    private long link;
    private long block;

    @BeforeEach
    void aGoodVolume() throws IOException {
        volume = TestVolume.open(engine, store, new ChunkSettings(4096, 100, 1 << 20), Runnable::run,
                new ManualClock());
        var vfs = volume.vfs();
        directory = vfs.makeDirectory(Vfs.ROOT, Name.of("d"), 0755, Owner.ROOT).ino();
        link = vfs.makeSymlink(directory, Name.of("l"), "x".getBytes(), Owner.ROOT).ino();
        try (var open = vfs.create(directory, Name.of("f"), 0644, Owner.ROOT);
                var other = vfs.create(directory, Name.of("copy"), 0644, Owner.ROOT)) {
            open.write(0, ByteBuffer.allocate(5000));
            file = open.ino();
            open.flush();
            open.copyTo(0, other, 0, 4096);
            block = volume.names().files().content(file, 0, 1).extents().getFirst().block();
        }
        vfs.create(directory, Name.of("gone"), 0644, Owner.ROOT).close();
        vfs.unlink(directory, Name.of("gone"));
        assertThat(volume.audit()).isEmpty();
    }

    @AfterEach
    void damageIsFound() throws IOException {
        assertThat(volume.audit()).isNotEmpty();
    }

    private void delete(MetaKey key) throws IOException {
        engine.transact(tx -> {
            assertThat(tx.get(key)).isNotNull();
            tx.delete(key);
            return null;
        });
    }

    private void put(MetaKey key, byte[] value) throws IOException {
        engine.transact(tx -> {
            tx.put(key, value);
            return null;
        });
    }

    private void node(long ino, UnaryOperator<NodeRow> change) throws IOException {
        engine.transact(tx -> {
            var edit = new Edit(tx, Instant.EPOCH, 0);
            edit.putNode(ino, change.apply(edit.node(ino)));
            return null;
        });
    }

    @Test
    void aMissingInode() throws IOException {
        delete(Keys.node(file));
    }

    @Test
    void aDigestOfABlockThatIsGone() throws IOException {
        put(Keys.digest(new volsh.fs.Digest(new byte[16])), ByteBuffer.allocate(8).putLong(99).array());
    }

    @Test
    void aDigestTheBlockDoesNotKnow() throws IOException {
        put(Keys.digest(new volsh.fs.Digest(new byte[16])), ByteBuffer.allocate(8).putLong(block).array());
    }

    @Test
    void theDigestOfABlockThatIsGone() throws IOException {
        put(Keys.digestOf(99), new byte[16]);
    }

    @Test
    void aMissingEntry() throws IOException {
        delete(Keys.entry(directory, Name.of("f")));
    }

    @Test
    void anEntryOfTheWrongKind() throws IOException {
        engine.transact(tx -> {
            new Edit(tx, Instant.EPOCH, 0).put(Keys.entry(directory, Name.of("f")), View.entryRow(file, FileKind.FIFO));
            return null;
        });
    }

    @Test
    void aMissingTarget() throws IOException {
        delete(Keys.target(link));
    }

    @Test
    void wrongLinks() throws IOException {
        node(file, node -> node.withLinks(2));
    }

    @Test
    void aWrongParent() throws IOException {
        node(directory, node -> node.withParent(directory));
    }

    @Test
    void aWrongSize() throws IOException {
        node(file, node -> node.changed(node.storage(), 10, node.allocated()));
    }

    @Test
    void aWrongAllocation() throws IOException {
        node(file, node -> node.changed(node.storage(), node.size(), node.allocated() - 1));
    }

    @Test
    void aMissingExtent() throws IOException {
        delete(Keys.extent(file, 4096));
    }

    @Test
    void anExtentOverAnother() throws IOException {
        engine.transact(tx -> {
            var edit = new Edit(tx, Instant.EPOCH, 0);
            edit.put(Keys.extent(file, 4000), View.extentRow(new Extent(3000, 1000, block, 0)));
            edit.uses().add(block);
            edit.uses().settle();
            return null;
        });
    }

    @Test
    void aMissingBlockRow() throws IOException {
        delete(Keys.block(block));
    }

    @Test
    void aWrongCount() throws IOException {
        put(Keys.uses(block), ByteBuffer.allocate(8).putLong(7).array());
    }

    @Test
    void aMissingCount() throws IOException {
        delete(Keys.uses(block));
    }

    @Test
    void aLivingBlockAmongTheDead() throws IOException {
        put(Keys.dead(1, block), new byte[0]);
    }

    @Test
    void anOrphanThatIsNone() throws IOException {
        put(Keys.orphan(1, file), new byte[0]);
    }

    @Test
    void aWrongDirectoryCounter() throws IOException {
        put(Keys.directoryCounters(directory, 5), new DirectoryCounters(1, 0, 0, 0).delta().row());
    }

    @Test
    void aWrongUsage() throws IOException {
        put(Keys.usage(5), new Delta(new long[] {1, 0, 0}, new long[0]).row());
    }

    @Test
    void aWrongCountOfDirectories() throws IOException {
        put(Keys.directories(5), new Delta(new long[] {1, 0}, new long[0]).row());
    }

    @Test
    void aMissingObject() throws IOException {
        store.delete(BlockKey.of(block));
    }

    @Test
    void anObjectOfNobody() throws IOException {
        store.put(BlockKey.of(999_999), ByteBuffer.allocate(1));
    }

    @Test
    void rowsOfNobody() throws IOException {
        put(Keys.attribute(12_345, new byte[] {'a'}), new byte[8]);
    }
}
