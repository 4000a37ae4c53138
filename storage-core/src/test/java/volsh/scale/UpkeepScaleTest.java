package volsh.scale;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import volsh.block.memory.MemoryBlockStore;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.engine.sqlite.SqliteMetaEngine;
import volsh.fs.BlockRow;
import volsh.fs.DirectoryEntry;
import volsh.fs.FileKind;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.inventory.Row;
import volsh.meta.MetadataAudit;
import volsh.meta.Namespace;
import volsh.meta.NodeRow;
import volsh.meta.Ticks;
import volsh.upkeep.Statistics;
import volsh.upkeep.Watcher;
import volsh.upkeep.check.Check;
import volsh.upkeep.check.CheckOptions;
import volsh.upkeep.check.CheckReport;
import volsh.upkeep.check.Damage;
import volsh.upkeep.dump.Dump;
import volsh.upkeep.dump.DumpLoader;
import volsh.upkeep.repair.Repair;
import volsh.vfs.TestVolume;

/** A volume is checked, repaired, counted, dumped and loaded, whatever it holds and however much of it is damaged. */
final class UpkeepScaleTest {
    private static final DumpLoader.Blocks STAY = new DumpLoader.Blocks() {
        @Override
        public Future<BlockRow> take(BlockRow row, Optional<Row.Place> place) {
            return CompletableFuture.completedFuture(row);
        }

        @Override
        public boolean stay() {
            return true;
        }
    };

    @TempDir
    Path directory;

    private CheckReport check(Scale volume) throws IOException {
        return new Check(volume.engine, new MemoryBlockStore(), TestVolume.ID, directory,
                OptionalLong.of(volume.session()))
                .run(CheckOptions.QUICK, Watcher.NONE);
    }

    private CheckReport repair(Scale volume) throws IOException {
        return new Repair(volume.engine, new MemoryBlockStore(), TestVolume.ID, directory, volume.clock,
                volume.session())
                .run(CheckOptions.QUICK, Watcher.NONE);
    }

    private static List<MetaKey> keys(Scale volume, char kind) throws IOException {
        var keys = new ArrayList<MetaKey>();
        for (var from = Row.kind(kind); from != null; ) {
            var start = from;
            var page = volume.engine.read(tx -> tx.scan(start, Row.kind(kind).afterPrefix(), 5_000));
            page.forEach(row -> keys.add(row.key()));
            from = page.size() < 5_000 ? null : page.getLast().key().next();
        }
        return keys;
    }

    /** More than are repaired in one look, each found by its path. */
    @ParameterizedTest
    @ValueSource(strings = {"sqlite", "postgres"})
    void everyDamagedFileIsRepaired(String kind) throws Exception {
        try (var volume = Scale.on(kind, directory)) {
            int files = Scale.LONG ? Scale.MANY : kind.equals("sqlite") ? 2_100 : 900;
            volume.smallFiles(Namespace.ROOT, "f", files);
            var keys = keys(volume, 'N');
            Scale.times(volume.engine, keys.size(), 300, engine -> i -> engine.transact(tx -> {
                if (Row.of(new MetaEngine.Entry(keys.get(i), tx.get(keys.get(i)))) instanceof Row.Node node
                        && !node.row().isDirectory()) {
                    tx.put(keys.get(i), node.with(wrong(node.row())).entry().value());
                }
                return null;
            }));
            assertThat(check(volume).counts()).containsEntry(Damage.ALLOCATED_WRONG, (long) files);
            var report = repair(volume);
            assertThat(report.isClean()).isTrue();
            assertThat(report.repairs()).hasSize(files).allMatch(repair -> repair.paths().getFirst().startsWith("/f"));
            assertThat(volume.problems()).isEmpty();
        }
    }

    private static NodeRow wrong(NodeRow row) {
        return new NodeRow(row.kind(), row.storage(), row.mode(), row.uid(), row.gid(), row.links(), row.device(),
                row.project(), row.layout(), row.parent(), row.size(), row.allocated() + 1, row.atime(), row.mtime(),
                row.ctime(), row.version());
    }

    /** One thing that is wrong may be of more rows than one repair takes, or all of its rounds together. */
    @Test
    void damageOfManyRowsIsRepaired() throws Exception {
        try (var volume = Scale.on("sqlite", directory)) {
            long file = volume.file(Namespace.ROOT, "file");
            long link = volume.names.makeSymlink(Namespace.ROOT, Name.of("link"), new byte[] {'x'}, Owner.ROOT).ino();
            volume.file("taken", 500);
            var rows = new ArrayList<Row>();
            for (int i = 0; i < 12_500; i++) {
                rows.add(new Row.Entry(file, ("e" + i).getBytes(StandardCharsets.UTF_8), 1, file, FileKind.REGULAR));
            }
            for (var key : keys(volume, 'X')) {
                byte[] value = volume.engine.read(tx -> tx.get(key));
                var run = (Row.Run) Row.of(new MetaEngine.Entry(key, value));
                rows.add(new Row.Run(link, run.end(), run.since(), run.length(), run.block(), run.offset()));
            }
            Scale.put(volume.engine, rows);
            assertThat(check(volume).counts()).containsKeys(Damage.ENTRY_OUTSIDE_DIRECTORY, Damage.ROW_MISPLACED,
                    Damage.USES_WRONG);
            assertThat(repair(volume).counts().keySet()).as("of blocks there are only rows in this test")
                    .containsExactly(Damage.BLOCK_ROW_WRONG);
            assertThat(volume.problems()).isEmpty();
            assertThat(volume.names.list(volume.ino("lost+found"), null, 10))
                    .as("bytes that another inode had are one file").hasSize(1);
        }
    }

    /** More damaged rows behind one another than a page holds are not the end of what is looked at. */
    @Test
    void whatLiesBehindManyDamagedRowsIsSeen() throws Exception {
        try (var volume = Scale.on("sqlite", directory)) {
            volume.smallFiles(Namespace.ROOT, "f", 1_300);
            try (var raw = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("meta.db"));
                    var statement = raw.createStatement()) {
                statement.execute("UPDATE kv SET v = x'01' WHERE k IN (SELECT k FROM kv WHERE k >= x'45' AND k < x'46' "
                        + "ORDER BY k LIMIT 900 OFFSET 200)");
            }
            var listed = new ArrayList<DirectoryEntry>();
            for (var page = volume.names.list(Namespace.ROOT, null, 128); !page.isEmpty();
                    page = volume.names.list(Namespace.ROOT, page.getLast().name(), 128)) {
                listed.addAll(page);
            }
            assertThat(listed).hasSize(400);
            assertThat(check(volume).counts()).containsEntry(Damage.ROW_UNREADABLE, 900L)
                    .containsEntry(Damage.INODE_LOST, 900L);
        }
    }

    /** Nor is a row that has no key that could be. */
    @Test
    void whatLiesBehindARowWithAnImpossibleKeyIsSeen() throws Exception {
        try (var volume = Scale.on("sqlite", directory)) {
            volume.smallFiles(Namespace.ROOT, "f", 2_500);
            try (var raw = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("meta.db"));
                    var statement = raw.createStatement()) {
                statement.execute("INSERT INTO kv (k, v) VALUES (CAST(x'45000000000000000166' || zeroblob(2000) "
                        + "AS BLOB), x'01')");
            }
            assertThat(check(volume).counts().keySet()).isNotEmpty()
                    .isSubsetOf(Damage.ROW_UNREADABLE, Damage.BYTES_UNREADABLE);
        }
    }

    /** As the volsh before wrote it: without checksums. */
    @Test
    void anOldDatabaseOfManyRowsIsConverted() throws Exception {
        try (var volume = Scale.on("sqlite", directory)) {
            volume.smallFiles(Namespace.ROOT, "f", Scale.MANY);
        }
        try (var raw = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("meta.db"));
                var statement = raw.createStatement()) {
            statement.execute("UPDATE kv SET v = substr(v, 1, length(v) - 4)");
            statement.execute("PRAGMA user_version = 1");
        }
        try (var engine = SqliteMetaEngine.open(directory.resolve("meta.db"))) {
            assertThat(new Statistics(engine).run(Watcher.NONE).files()).isEqualTo(Scale.MANY);
            assertThat(MetadataAudit.of(engine).problems()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sqlite", "postgres"})
    void aDumpIsWholeAndIsLoaded(String kind) throws Exception {
        try (var volume = Scale.on(kind, directory)) {
            volume.smallFiles(Namespace.ROOT, "f", Scale.MANY);
            volume.file("large", Scale.MANY);
            var counted = new Statistics(volume.engine).run(Watcher.NONE);
            assertThat(List.of(counted.files(), counted.extents(), counted.blocks()))
                    .containsExactly(Scale.MANY + 1L, (long) Scale.MANY, (long) Scale.MANY);
            var text = new ByteArrayOutputStream();
            volume.pass();
            var dumped = dump(volume, text);
            try (var other = Scale.blank(kind.equals("sqlite") ? "postgres" : "sqlite", directory.resolve("other"))) {
                new DumpLoader(other.engine, directory, STAY, Watcher.NONE)
                        .run(new DumpLoader.Source(new ByteArrayInputStream(text.toByteArray())));
                assertThat(dump(other, new ByteArrayOutputStream())).isEqualTo(dumped);
                assertThat(new Statistics(other.engine).run(Watcher.NONE).extents()).isEqualTo(counted.extents());
                assertThat(other.problems()).isEmpty();
            }
        }
    }

    private Dump.Summary dump(Scale volume, ByteArrayOutputStream out) throws IOException {
        return new Dump(volume.engine, new Ticks(volume.engine, volume.clock),
                directory).run("{}", List.of("mem://x"), out, Watcher.NONE);
    }
}
