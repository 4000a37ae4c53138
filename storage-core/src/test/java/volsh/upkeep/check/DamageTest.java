package volsh.upkeep.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.BlockKey;
import volsh.engine.Delta;
import volsh.engine.Keys;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.engine.memory.MemoryMetaEngine;
import volsh.engine.postgres.PostgresMetaEngine;
import volsh.engine.postgres.PostgresUrl;
import volsh.engine.sqlite.SqliteMetaEngine;
import volsh.fs.BlockRow;
import volsh.fs.FileKind;
import volsh.fs.ImportedBlock;
import volsh.inventory.Row;
import volsh.meta.NodeRow;
import volsh.meta.NodeRow.Storage;
import volsh.postgrestest.PostgresServer;
import volsh.quota.Account;
import volsh.quota.QuotaRule;
import volsh.upkeep.Specimen;

/**
 * Every kind of damage, planted in healthy volumes with a random past, is found; what can be repaired is, and nothing
 * is left then.
 */
final class DamageTest {
    private static final int SEEDS = Boolean.getBoolean("volsh.long") ? 40 : 3;
    private static final int CALLS = 400;

    @TempDir
    private Path directory;

    /** How each kind of damage comes about. */
    private interface Plant {
        void in(Specimen volume) throws IOException;
    }

    private static final Map<Damage, Plant> PLANTS = new EnumMap<>(Damage.class);

    private static void plant(Damage damage, Plant plant) {
        PLANTS.put(damage, plant);
    }

    private static NodeRow with(NodeRow row, Storage storage, int links, long parent, long size, long allocated) {
        return new NodeRow(row.kind(), storage, row.mode(), row.uid(), row.gid(), links, row.device(), row.project(),
                row.layout(), parent, size, allocated, row.atime(), row.mtime(), row.ctime(), row.version());
    }

    private static Row.Node sized(Row.Node node, long size) {
        var row = node.row();
        return node.with(with(row, row.storage(), row.links(), row.parent(), size, row.allocated()));
    }

    static {
        plant(Damage.SESSION_UNREADABLE, v -> v.put(Row.from('s', 99), new byte[] {1, 2}));
        plant(Damage.ROW_UNREADABLE, v -> {
            char kind = "ENASouUthr".charAt(v.random.nextInt(10));
            var row = v.pick(Row.class, kind, any -> any.entry().value().length > 0 || kind == 'o');
            v.put(row.entry().key(), kind == 'o' ? new byte[] {1} : Arrays.copyOf(row.entry().value(), 3));
        });
        plant(Damage.BYTES_UNREADABLE, v -> {
            var row = v.pick(Row.class, "XDL".charAt(v.random.nextInt(3)), any -> true);
            v.put(row.entry().key(), Arrays.copyOf(row.entry().value(), 3));
        });
        plant(Damage.ROOT_MISSING, v -> v.delete(Row.from('N', 1)));
        plant(Damage.TICK_BEHIND, v -> {
            var node = v.node(row -> true);
            v.put(new Row.Node(node.ino(), v.now().getEpochSecond() + 1_000_000, node.row()));
        });
        plant(Damage.NUMBER_BEHIND, v -> v.put(new Row.NextNumber(v.random.nextBoolean() ? "inode" : "block", 3)));
        plant(Damage.PINS_WRONG, v -> v.put(new Row.Retention(0, new long[] {9, 4})));
        plant(Damage.EXTENT_IMPOSSIBLE, v ->
                v.put(new Row.Run(v.file(Storage.EXTENTS).ino(), 1L << 40, 1, v.random.nextBoolean() ? 0 : -4, 2, 0)));
        plant(Damage.EXTENT_OVERLAP, v -> {
            var run = v.pick(Row.Run.class, 'X', any -> any.length() > 2);
            v.put(new Row.Run(run.ino(), run.end() - 1, run.since() + v.random.nextInt(2), run.length() - 1,
                    run.block(), run.offset()));
        });
        plant(Damage.ROW_MISPLACED, v -> {
            var node = v.node(row -> row.kind() != FileKind.REGULAR);
            v.put(node.row().kind() == FileKind.SYMLINK || v.random.nextBoolean()
                    ? new Row.Inline(node.ino(), 1, new byte[4])
                    : new Row.Target(node.ino(), 1, new byte[4]));
        });
        plant(Damage.INLINE_UNEXPECTED, v -> v.put(new Row.Inline(v.file(Storage.EXTENTS).ino(), 1, new byte[3])));
        plant(Damage.STORAGE_WRONG, v -> {
            var node = v.file(Storage.EXTENTS);
            var row = node.row();
            v.put(node.with(with(row, v.random.nextBoolean() ? Storage.NONE : Storage.INLINE, row.links(), row.parent(),
                    row.size(), row.allocated())));
        });
        plant(Damage.SIZE_WRONG, v -> {
            var node = v.random.nextBoolean() ? v.file(Storage.EXTENTS) : v.node(row -> row.kind() == FileKind.SYMLINK);
            v.put(sized(node, node.row().kind() == FileKind.SYMLINK ? node.row().size() + 1 : 0));
        });
        plant(Damage.ALLOCATED_WRONG, v -> {
            var node = v.file(Storage.EXTENTS);
            var row = node.row();
            v.put(node.with(with(row, row.storage(), row.links(), row.parent(), row.size(), row.allocated() + 7)));
        });
        plant(Damage.HISTORY_WRONG, v -> {
            var version = v.pick(Row.Version.class, 'h', any -> any.row() instanceof Row.Node);
            v.put(new Row.Version(version.row(), version.since(), version.since() - 1));
        });
        plant(Damage.HISTORY_OVERLAP, v -> {
            var version = v.pick(Row.Version.class, 'h',
                    any -> any.row() instanceof Row.Node || any.row() instanceof Row.Inline);
            v.put(new Row.Version(version.row(), version.since(), version.end() + 1));
        });
        plant(Damage.ROWS_WITHOUT_INODE, v -> {
            switch (v.random.nextInt(4)) {
                case 0 -> v.delete(v.file(Storage.EXTENTS).entry().key());
                case 1 -> v.delete(v.file(Storage.INLINE).entry().key());
                case 2 -> v.delete(v.node(row -> row.kind() == FileKind.SYMLINK).entry().key());
                default -> v.delete(Row.from('N',
                        v.pick(Row.Entry.class, 'E', any -> any.directory() != 1).directory()));
            }
        });
        plant(Damage.NAME_INVALID, v -> {
            var entry = v.pick(Row.Entry.class, 'E', any -> true);
            v.delete(entry.entry().key());
            v.put(new Row.Entry(entry.directory(), v.random.nextBoolean() ? new byte[] {'a', '/'} : "..".getBytes(),
                    entry.since(), entry.ino(), entry.kind()));
        });
        plant(Damage.ENTRY_WITHOUT_INODE,
                v -> v.put(new Row.Entry(1, "nothing".getBytes(), 1, 1_000_000, FileKind.REGULAR)));
        plant(Damage.ENTRY_OUTSIDE_DIRECTORY, v -> {
            var entry = v.pick(Row.Entry.class, 'E', any -> true);
            v.delete(entry.entry().key());
            v.put(new Row.Entry(v.file(Storage.EXTENTS).ino(), entry.name(), entry.since(), entry.ino(), entry.kind()));
        });
        plant(Damage.DIRECTORY_NAMES, v -> {
            var directory = v.node(NodeRow::isDirectory);
            v.put(new Row.Entry(1, "again".getBytes(), 1, directory.ino(), FileKind.DIRECTORY));
        });
        plant(Damage.DIRECTORY_CYCLE, DamageTest::tieAKnot);
        plant(Damage.ORPHAN_WRONG,
                v -> v.put(new Row.Orphan(7, v.random.nextBoolean() ? 1_000_000 : v.file(Storage.EXTENTS).ino())));
        plant(Damage.INODE_LOST, v -> v.delete(v.pick(Row.Entry.class, 'E',
                any -> any.kind() == FileKind.DIRECTORY || v.links(any.ino()) == 1).entry().key()));
        plant(Damage.LINKS_WRONG, v -> {
            var node = v.node(row -> true);
            var row = node.row();
            v.put(node.with(with(row, row.storage(), row.links() + 1, row.parent(), row.size(), row.allocated())));
        });
        plant(Damage.PARENT_WRONG, v -> {
            var node = v.node(NodeRow::isDirectory);
            var row = node.row();
            v.put(node.with(with(row, row.storage(), row.links(), 1_000_000, row.size(), row.allocated())));
        });
        plant(Damage.KIND_WRONG, v -> {
            var entry = v.pick(Row.Entry.class, 'E', any -> true);
            v.put(new Row.Entry(entry.directory(), entry.name(), entry.since(), entry.ino(),
                    entry.kind() == FileKind.FIFO ? FileKind.SOCKET : FileKind.FIFO));
        });
        plant(Damage.BLOCK_ROW_MISSING, v -> v.delete(v.usedBlock().entry().key()));
        plant(Damage.BLOCK_ROW_WRONG, v -> {
            var block = v.usedBlock();
            var row = block.row();
            v.put(v.random.nextBoolean() ? new Row.Block(new BlockRow(row.id(), row.rawSize() + 1, row.storedSize(), 0,
                    row.owner(), row.index()))
                    : new Row.Other(new MetaEngine.Entry(block.entry().key(), new byte[] {1, 0})));
        });
        plant(Damage.BLOCK_DEAD_USED, v -> {
            var block = v.usedBlock().row();
            v.put(new Row.Uses(block.id(), 0));
            v.put(new Row.Dead(3, block.id()));
        });
        plant(Damage.BLOCK_UNUSED, v -> {
            var row = v.usedBlock().row();
            v.put(new Row.Block(new BlockRow(1_000_000, row.rawSize(), row.storedSize(), 0, 0, row.index())));
        });
        plant(Damage.USES_WRONG, v -> v.put(new Row.Uses(v.usedBlock().row().id(), v.random.nextBoolean() ? 1 : 77)));
        plant(Damage.DEAD_WRONG, v -> v.put(new Row.Dead(4, 1_000_000)));
        plant(Damage.PACK_MISSING, v -> v.delete(v.pick(Row.Pack.class, 'P', any -> true).entry().key()));
        plant(Damage.PACK_COUNT_WRONG, v -> {
            var pack = v.pick(Row.Pack.class, 'P', any -> true);
            v.put(new Row.Pack(pack.id(), new UUID(3, 4), pack.blocks() + 1));
        });
        plant(Damage.DIRECTORY_COUNT_WRONG, v -> {
            var count = v.pick(Row.DirectoryCount.class, 'S', any -> true);
            v.put(new Row.DirectoryCount(count.directory(), 5,
                    new Delta(new long[] {3, v.random.nextInt(2), 1}, new long[] {0})));
        });
        plant(Damage.QUOTA_COUNT_WRONG, v -> {
            if (v.random.nextInt(3) > 0) {
                v.put(new Row.AccountCount(v.account(), 2,
                        new Delta(new long[] {3, v.random.nextInt(2)}, new long[0])));
            } else {   // a quota of an owner, and not all files are counted for their owners
                v.put(new Row.Quota(new QuotaRule(Account.group(1 + v.random.nextInt(9)), 5, 5, 0)));
                v.put(new Row.OwnersCounted(v.random.nextInt(20)));
            }
        });
        plant(Damage.USAGE_WRONG, v -> v.put(v.random.nextBoolean()
                ? new Row.UsageCount(6, new Delta(new long[] {v.random.nextInt(2), -3, 1}, new long[0]))
                : new Row.DirectoriesCount(6, new Delta(new long[] {7, 0}, new long[0]))));
        plant(Damage.DIRECTORIES_UNCOUNTED, v -> v.delete(Keys.directories(0)));
        plant(Damage.INLINE_MISSING, v -> v.delete(Row.from('D', v.file(Storage.INLINE).ino())));
        plant(Damage.TARGET_MISSING, v -> v.delete(Row.from('L', v.node(row -> row.kind() == FileKind.SYMLINK).ino())));
        plant(Damage.EXTENT_PAST_BLOCK, v -> {
            var run = v.pick(Row.Run.class, 'X', any -> true);
            v.put(new Row.Run(run.ino(), run.end(), run.since(), run.length(), run.block(), 1 << 30));
        });
        plant(Damage.OBJECT_MISSING, v -> v.store.delete(BlockKey.of(v.usedBlock().row().id())));
        plant(Damage.OBJECT_SIZE_WRONG, v -> {
            var block = v.usedBlock().row();
            var bytes = v.object(block);
            int size = bytes.remaining() + (v.random.nextBoolean() ? -1 : 1);
            v.store.put(BlockKey.of(block.id()), ByteBuffer.wrap(Arrays.copyOf(bytes.array(), size)));
        });
        plant(Damage.OBJECT_CORRUPT, v -> {
            var block = v.usedBlock().row();
            var bytes = v.object(block);
            int at = v.random.nextInt(bytes.remaining());
            bytes.put(at, (byte) (bytes.get(at) ^ 1 << v.random.nextInt(8)));
            v.store.put(BlockKey.of(block.id()), bytes);
        });
        plant(Damage.IMPORT_CHANGED, v -> {   // its bucket is not known
            var run = v.pick(Row.Run.class, 'X', any -> v.isAlone(any.block()));
            long block = ImportedBlock.id(run.block());
            v.put(new Row.Block(new ImportedBlock(1, 0, run.length(), "etag", "key")
                    .row(block, run.length(), run.ino())));
            v.put(new Row.Run(run.ino(), run.end(), run.since(), run.length(), block, 0));
        });
        plant(Damage.PLACE_WRONG, v -> {
            var place = v.pick(Row.Place.class, 'l', any -> true);
            // a wrong place inside: a deep check reads it
            v.put(new Row.Place(place.block(), place.pack(), place.offset() + (1 << 24), place.length()));
        });
        plant(Damage.JOURNAL_UNREADABLE,
                v -> v.put(MetaKey.of(ByteBuffer.allocate(17).put((byte) 'p').array()), new byte[] {9}));
        plant(Damage.UNKNOWN_ROW, v -> v.put(MetaKey.of((byte) '!', (byte) 1), new byte[] {9}));
        plant(Damage.OBJECT_UNUSED, v -> v.store.put(BlockKey.of(1_000_000), ByteBuffer.allocate(10)));
    }

    /** Two directories, each in the other. */
    private static void tieAKnot(Specimen v) throws IOException {
        var below = v.pick(Row.Entry.class, 'E', any -> Arrays.equals(any.name(), "deeper".getBytes()));
        var middle = v.node(below.directory());
        var entry = v.pick(Row.Entry.class, 'E', any -> any.ino() == middle.ino());
        v.delete(entry.entry().key());
        v.put(new Row.Entry(below.ino(), entry.name(), entry.since(), entry.ino(), entry.kind()));
        var row = middle.row();
        v.put(middle.with(with(row, row.storage(), row.links(), below.ino(), row.size(), row.allocated())));
    }

    /**
     * All but those of copies and shards, which {@code PlaceUpkeepTest} plants, as this volume has one store; and what
     * {@code CutOffPutsTest} does.
     */
    private static Stream<Damage> kinds() {
        return Stream.of(Damage.values())
                .filter(damage -> !damage.isOfParts() && !damage.isOfFiles() && damage != Damage.PUT_CUT_OFF);
    }

    @Test
    void everyKindIsPlanted() {
        assertThat(PLANTS).containsOnlyKeys(kinds().toArray(Damage[]::new)).hasSizeGreaterThan(40);
    }

    @TestFactory
    Stream<DynamicTest> isFoundAndRepaired() {
        return Stream.iterate(1, seed -> seed + 1).limit(SEEDS).flatMap(seed -> kinds()
                .map(damage -> DynamicTest.dynamicTest(damage + " " + seed, () ->
                        findAndRepair(damage, Specimen.make(new MemoryMetaEngine(), directory, seed, CALLS)))));
    }

    /** The same rows in a real database. */
    @TestFactory
    Stream<DynamicTest> isFoundAndRepairedInSqlite() {
        return kinds().filter(damage -> Boolean.getBoolean("volsh.long") || damage.ordinal() % 4 == 0)
                .map(damage -> DynamicTest.dynamicTest(damage.toString(), () -> {
                    try (var engine = SqliteMetaEngine.create(directory.resolve(damage + ".db"))) {
                        findAndRepair(damage, Specimen.make(new MemoryMetaEngine(), directory, 11, 100).in(engine));
                    }
                }));
    }

    @Test
    void isFoundAndRepairedInPostgres() throws Exception {
        for (var damage : new Damage[] {Damage.ROWS_WITHOUT_INODE, Damage.USES_WRONG}) {
            var url = PostgresUrl.of(PostgresServer.shared().url()).withVolume(PostgresServer.freshName());
            try (var engine = PostgresMetaEngine.create(url, UUID.randomUUID())) {
                findAndRepair(damage, Specimen.make(new MemoryMetaEngine(), directory, 12, 50).in(engine));
            }
        }
    }

    private static void findAndRepair(Damage damage, Specimen volume) throws IOException {
        assertThat(volume.audit()).isEmpty();
        assertThat(volume.check(CheckOptions.QUICK).problems()).isEmpty();
        PLANTS.get(damage).in(volume);
        var options = damage == Damage.OBJECT_CORRUPT || damage == Damage.IMPORT_CHANGED ? CheckOptions.DEEP
                : CheckOptions.QUICK;
        var found = volume.check(options);
        assertThat(found.counts()).containsKey(damage);
        assertThat(found.isClean()).isEqualTo(damage.isHarmless());
        var repaired = volume.repair();
        if (!damage.isRepairable()) {
            assertThat(volume.check(options).counts()).containsKey(damage);
            return;
        }
        // some of those have to go before anything else
        if (damage != Damage.SESSION_UNREADABLE && damage != Damage.ROW_UNREADABLE) {
            assertThat(repaired.repairs()).isNotEmpty();
        }
        if (damage == Damage.BYTES_UNREADABLE) {   // bytes are gone, and their file says so
            assertThat(volume.check(CheckOptions.QUICK).counts().keySet()).as(repaired.repairs().toString())
                    .isSubsetOf(Damage.OBJECT_MISSING, Damage.INLINE_MISSING, Damage.TARGET_MISSING);
            assertThat(volume.repair().repairs()).isEmpty();
            return;
        }
        assertThat(volume.check(CheckOptions.QUICK).counts()).as(repaired.repairs().toString()).isEmpty();
        assertThat(volume.audit()).as(repaired.repairs().toString()).isEmpty();
        assertThat(volume.repair().repairs()).isEmpty();
    }
}
