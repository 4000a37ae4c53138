package volsh.upkeep.check;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.function.Predicate;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.engine.MetaEngine;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.inventory.Row;
import volsh.meta.Namespace;
import volsh.meta.NodeRow;
import volsh.upkeep.Cursor;
import volsh.upkeep.Directories;
import volsh.upkeep.NumberTable;
import volsh.upkeep.RowTally;
import volsh.upkeep.SpillSort;
import volsh.upkeep.StoppedException;
import volsh.upkeep.Watcher;

/**
 * One pass over all rows and objects. Rows are read in key order; what has to be compared in another order is sorted in
 * files first: names by inode, extents by block, objects by number.
 *
 * <p>Without concurrent changes, the findings are exactly what is wrong.
 */
final class CheckPass implements AutoCloseable {
    private final MetaEngine engine;
    private final StoredBlocks stored;
    private final UUID volume;
    private final CheckOptions options;
    private final Path directory;
    private final Watcher watcher;
    private final Findings findings = new Findings();
    private final RowTally tally = new RowTally();
    private final Highest highest = new Highest();

    private final NumberTable parents;
    private final SpillSort names;
    private final SpillSort orphans;
    private final SpillSort extents;
    private final SpillSort dead;
    private final SpillSort places;
    private final SpillSort objects;
    private final SpillSort packs;

    /** {@code directory} is for temporary files. */
    CheckPass(MetaEngine engine, StoredBlocks stored, UUID volume, CheckOptions options, Path directory,
            Watcher watcher) throws IOException {
        this.engine = engine;
        this.stored = stored;
        this.volume = volume;
        this.options = options;
        this.directory = directory;
        this.watcher = watcher;
        this.parents = new NumberTable(directory);
        this.names = new SpillSort(directory, 3);
        this.orphans = new SpillSort(directory, 2);
        this.extents = new SpillSort(directory, 5);
        this.dead = new SpillSort(directory, 2);
        this.places = new SpillSort(directory, 4);
        this.objects = new SpillSort(directory, 4);
        this.packs = new SpillSort(directory, 2);
    }

    /** The greatest numbers and the latest tick that rows have. */
    static final class Highest {
        private long tick;
        private long inode = Namespace.ROOT;
        private long block;
        private long session;

        void tick(long value) {
            tick = Math.max(tick, value);
        }

        void inode(long value) {
            inode = Math.max(inode, value);
        }

        void block(long value) {
            block = Math.max(block, value);
        }

        void session(long value) {
            session = Math.max(session, value);
        }

        long tick() {
            return tick;
        }

        long of(String counter) {
            return switch (counter) {
                case "inode" -> inode;
                case "block" -> block;
                default -> session;
            };
        }
    }

    Findings run() throws IOException {
        watcher.phase("rows", -1);
        for (var problem : engine.inspect(options.deep())) {
            findings.add(Finding.ofDatabase(problem));
        }
        takeDirectories();
        takeNames();
        takeOrphans();
        new InodeCheck(engine, options, findings, tally, highest, extents, watcher, new Directories(parents.done()),
                names.sorted(), orphans.sorted()).run();
        new HistoryCheck(engine, findings, tally, highest, extents, watcher).run();
        takeDead();
        watcher.phase("objects", -1);
        takeObjects();
        try (var deep = new DeepRead(stored, volume, findings, options.deep(), watcher)) {
            watcher.phase(options.deep() ? "blocks" : "rows", -1);
            new BlockCheck(engine, stored, options, findings, tally, highest, watcher, new BlockCheck.Sources(
                    extents.sorted(), dead.sorted(), objects.sorted(), packTable(), places, deep)).run();
        }
        new PackCheck(engine, findings, highest, watcher).run(places.sorted());
        new SmallRowsCheck(engine, findings, tally, highest, watcher).run();
        return findings;
    }

    RowTally tally() {
        return tally;
    }

    private void takeDirectories() throws IOException {
        var rows = Cursor.of(engine, 'N', watcher);
        while (rows.peek() != null) {
            if (Row.of(rows.next()) instanceof Row.Node(long ino, _, NodeRow row) && row.isDirectory()) {
                parents.add(ino, row.parent());
            }
        }
    }

    private void takeNames() throws IOException {
        var rows = Cursor.of(engine, 'E', watcher);
        while (rows.peek() != null) {
            if (Row.of(rows.next()) instanceof Row.Entry entry) {
                try {
                    Name.of(entry.name());
                    names.add(entry.ino(), entry.directory(), entry.kind().code());
                } catch (FsException invalid) {
                    findings.add(new Finding(Damage.NAME_INVALID, "an entry of inode %d".formatted(entry.directory()),
                            "%d bytes, referring to inode %d".formatted(entry.name().length, entry.ino()),
                            entry.entry().key(), 0, List.of(entry.directory())));
                    names.add(entry.ino(), entry.directory(), entry.kind().code());
                }
            }
        }
    }

    private void takeOrphans() throws IOException {
        var rows = Cursor.of(engine, 'o', watcher);
        while (rows.peek() != null) {
            if (readable(rows.next()) instanceof Row.Orphan(long tick, long ino)) {
                highest.tick(tick);
                orphans.add(ino, tick);
            }
        }
    }

    private void takeDead() throws IOException {
        var rows = Cursor.of(engine, 'd', watcher);
        while (rows.peek() != null) {
            if (readable(rows.next()) instanceof Row.Dead(long tick, long block)) {
                highest.tick(tick);
                dead.add(block, tick);
            }
        }
    }

    private Row readable(MetaEngine.Entry entry) {
        var row = Row.of(entry);
        if (row instanceof Row.Unreadable broken) {
            report(findings, broken);
        }
        return row;
    }

    /** Reports an unreadable row. */
    static void report(Findings findings, Row.Unreadable row) {
        char kind = (char) row.entry().key().bytes()[0];
        var damage = switch (kind) {
            case 's' -> Damage.SESSION_UNREADABLE;
            case 'p' -> Damage.JOURNAL_UNREADABLE;
            case 'b', 'x' -> Damage.BLOCK_ROW_WRONG;
            case 'X', 'D', 'L' -> Damage.BYTES_UNREADABLE;
            default -> Damage.ROW_UNREADABLE;
        };
        boolean numbered = row.entry().key().bytes().length >= 9;
        long number = numbered ? ByteBuffer.wrap(row.entry().key().bytes()).getLong(1) : 0;
        findings.addUnreadable(new Finding(damage, "row " + row.entry().key(), row.why(), row.entry().key(), number,
                damage == Damage.BYTES_UNREADABLE && numbered ? List.of(number) : List.of()));
    }

    private void takeObjects() throws IOException {
        if (stored.parts().isPresent()) {
            stored.parts().get().list((block, store, shard, size) -> {
                objects.add(block, store, shard, size);
                check();
            });
        } else {
            take("blocks/", key -> key.block().isPresent(), (id, size) -> objects.add(id, 0, BlockParts.WHOLE, size));
        }
        take("packs/", key -> key.text().matches("packs/[0-9a-f]{2}/[0-9a-f]{16}"), packs::add);
    }

    private interface Listing {
        void take(long id, long size) throws IOException;
    }

    private void check() throws StoppedException {
        if (watcher.cancelled()) {
            throw new StoppedException();
        }
    }

    private void take(String prefix, Predicate<BlockKey> fits, Listing listing) throws IOException {
        try (var listed = stored.store().list(prefix)) {
            for (var each : (Iterable<BlockStore.Listed>) listed::iterator) {
                if (fits.test(each.key())) {
                    String text = each.key().text();
                    listing.take(Long.parseUnsignedLong(text.substring(text.lastIndexOf('/') + 1), 16), each.size());
                }
                check();
            }
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
    }

    private NumberTable packTable() throws IOException {
        var table = new NumberTable(directory);
        var sorted = packs.sorted();
        while (sorted.peek() != null) {
            long[] pack = sorted.next();
            highest.block(pack[0]);
            table.add(pack[0], pack[1]);
        }
        return table.done();
    }

    @Override
    public void close() throws IOException {
        for (var each : new AutoCloseable[] {parents, names, orphans, extents, dead, places, objects, packs}) {
            try {
                each.close();
            } catch (IOException failed) {
                throw failed;
            } catch (Exception impossible) {
                throw new IllegalStateException(impossible);
            }
        }
    }
}
