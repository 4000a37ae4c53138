package volsh.upkeep.dump;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import volsh.engine.Delta;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.fs.BlockRow;
import volsh.fs.FileKind;
import volsh.fs.ImportedBlock;
import volsh.inventory.Row;
import volsh.json.Fields;
import volsh.quota.Account;
import volsh.quota.QuotaRule;
import volsh.upkeep.RowTally;
import volsh.upkeep.SpillSort;
import volsh.upkeep.StoppedException;
import volsh.upkeep.Watcher;

/**
 * Creates the rows of a volume in an empty engine from a dump. Lines must be in the order of a dump and are not fully
 * trusted: counts are computed again, and the caller checks the result before it is used.
 */
public final class DumpLoader {
    /** The kinds of rows of the name space, in the order of a dump. */
    static final String NAME_SPACE = "ADELNX";

    /** The kinds of rows that follow, in the order of a dump. */
    static final String SETTINGS = "mqrvz";

    /** Settings that are specific to each volume. */
    static final Set<String> OWN_SETTINGS = Set.of("volume", "store", "sole-writer", "retired");

    private static final int BATCH = 400;
    private static final int BATCH_BYTES = 4 << 20;
    private static final int BLOCKS_AT_ONCE = 8;
    private static final int NAMES = 0;
    private static final int CHANGES = 1;
    private static final int OF_THE_VOLUME = 2;
    private static final int BLOCKS = 3;

    private final MetaEngine engine;
    private final Path directory;
    private final Blocks blocks;
    private final Watcher watcher;
    private final List<Row> batch = new ArrayList<>();
    private final ArrayDeque<Taken> waiting = new ArrayDeque<>();
    private final RowTally tally = new RowTally();
    private long lastProject;
    private boolean ownersCounted;
    private long batchBytes;
    private long bytes;
    private long inodes;
    private long stored;
    private long imported;
    private long files;
    private long rows;

    /** Handles a block before its row is written: does nothing if it stays where it is. */
    public interface Blocks {
        /** The row it will have in the new volume; fails with an {@link IOException}. */
        Future<BlockRow> take(BlockRow row, Optional<Row.Place> place);

        /** Whether they stay where they were, in their packs. */
        boolean stay();
    }

    /** {@code directory} is for temporary files. */
    public DumpLoader(MetaEngine engine, Path directory, Blocks blocks, Watcher watcher) {
        this.engine = engine;
        this.directory = directory;
        this.blocks = blocks;
        this.watcher = watcher;
    }

    /** What was loaded. */
    public record Summary(long files, long bytes, long rows, String digest) {}

    /** A dump whose first line has been read. */
    public static final class Source {
        private final DumpLines lines;
        private final DumpHeader header;

        public Source(InputStream in) throws IOException {
            this.lines = new DumpLines(in instanceof BufferedInputStream ? in : new BufferedInputStream(in, 1 << 16));
            this.header = lines.header();
        }

        public DumpHeader header() {
            return header;
        }
    }

    /** @throws DumpRefusedException naming the invalid line; what was written until then must be discarded */
    public Summary run(Source source) throws IOException {
        try (var entries = new SpillSort(directory, 3); var uses = new SpillSort(directory, 1);
                var changes = new SpillSort(directory, 3);
                var places = new SpillSort(directory, 1)) {
            take(source, entries, uses, changes, places);
            settle(0, places);
            counters(entries.sorted(), changes.sorted());
            uses(uses.sorted());
            packs(places.sorted());
            for (var account : tally.accounts().entrySet()) {
                if (ownersCounted || !account.getKey().isOwner()) {
                    add(new Row.AccountCount(account.getKey(), 0, new Delta(account.getValue(), new long[0])));
                }
            }
            if (ownersCounted) {
                add(new Row.OwnersCounted(Long.MAX_VALUE));
            }
            add(new Row.NextNumber("project", lastProject + 1));
            add(new Row.UsageCount(0, new Delta(new long[] {bytes, inodes, stored}, new long[0])));
            add(new Row.DirectoriesCount(0, new Delta(new long[] {inodes - files, 1}, new long[0])));
            if (imported > 0) {
                add(new Row.ImportedCount(0, Delta.of(imported)));
            }
            add(new Row.Tick(source.header.tick()));
            add(new Row.NextNumber("inode", source.header.nextInode()));
            add(new Row.NextNumber("block", source.header.nextBlock()));
            flush();
            return new Summary(files, bytes, rows, source.lines.sum());
        }
    }

    private void take(Source source, SpillSort entries, SpillSort uses, SpillSort changes, SpillSort places)
            throws IOException {
        var lines = source.lines;
        int reached = NAMES;
        MetaKey last = null;
        for (var fields = lines.next(); fields != null; fields = lines.next()) {
            watcher.advanced(1);
            if (watcher.cancelled()) {
                throw new StoppedException();
            }
            if ("changes".equals(fields.values().get("row"))) {
                requireOrder(lines, reached <= CHANGES);
                reached = CHANGES;
                changes(lines, fields, changes);
                continue;
            }
            var row = row(lines, fields);
            var key = row.entry().key();
            if (row instanceof Row.Block && reached < BLOCKS) {
                flush();   // copying blocks needs the rows of layouts and files
            }
            int stage = row instanceof Row.Block ? BLOCKS : SETTINGS.indexOf(key.bytes()[0]) >= 0 ? OF_THE_VOLUME
                    : NAMES;
            requireOrder(lines, stage >= reached && (stage > reached || last == null || key.compareTo(last) > 0));
            reached = stage;
            last = key;
            take(lines, fields, row, source.header, entries, uses, places);
        }
    }

    private static void requireOrder(DumpLines lines, boolean right) throws DumpRefusedException {
        if (!right) {
            throw lines.refuse("the row is out of order or duplicated");
        }
    }

    private static Row row(DumpLines lines, Fields fields) throws IOException {
        try {
            var row = RowText.read(fields);
            if (row.entry().value().length > MetaEngine.VALUE_MAX) {
                throw new IOException("the row is too long");
            }
            return row;
        } catch (IOException | RuntimeException wrong) {
            throw lines.refuse(wrong.getMessage());
        }
    }

    private static void changes(DumpLines lines, Fields fields, SpillSort changes) throws IOException {
        try {
            changes.add(fields.number("directory"), fields.number("changes"), fields.number("mtime"));
        } catch (IOException wrong) {
            throw lines.refuse(wrong.getMessage());
        }
    }

    private void take(DumpLines lines, Fields fields, Row row, DumpHeader header, SpillSort entries, SpillSort uses,
            SpillSort places) throws IOException {
        switch (row) {
            case Row.Node node -> {
                requireBelow(lines, node.ino(), header.nextInode());
                lastProject = Math.max(lastProject, Integer.toUnsignedLong(node.row().project()));
                if (node.row().links() > 0) {
                    bytes += node.row().size();
                    inodes++;
                    files += node.row().isDirectory() ? 0 : 1;
                    tally.account(node.row());
                } else {
                    add(new Row.Orphan(node.row().parent(), node.ino()));
                }
            }
            case Row.Quota(QuotaRule rule) -> {
                ownersCounted |= rule.account().isOwner();
                if (rule.account().kind() == Account.Kind.PROJECT) {
                    lastProject = Math.max(lastProject, rule.account().id());
                }
            }
            case Row.Entry entry -> entries.add(entry.directory(), entry.kind() == FileKind.DIRECTORY ? 1 : 0, 0);
            case Row.Run run -> uses.add(run.block());
            case Row.Block(BlockRow block) -> {
                requireBelow(lines, ImportedBlock.number(block.id()), header.nextBlock());
                block(block, place(lines, fields, block.id()), places);
                return;
            }
            case Row.Missing _ -> {
                if (!blocks.stay()) {
                    return;   // they are stored again
                }
            }
            default -> { }
        }
        add(row);
    }

    private static Optional<Row.Place> place(DumpLines lines, Fields fields, long block) throws IOException {
        try {
            return RowText.place(fields, block);
        } catch (IOException | RuntimeException wrong) {
            throw lines.refuse(wrong.getMessage());
        }
    }

    private record Taken(Future<BlockRow> row, Optional<Row.Place> place) {}

    private void block(BlockRow block, Optional<Row.Place> place, SpillSort places) throws IOException {
        var own = ImportedBlock.is(block.id()) ? CompletableFuture.completedFuture(block) : blocks.take(block, place);
        waiting.add(new Taken(own, place));
        settle(BLOCKS_AT_ONCE, places);
    }

    /** Writes the rows of taken blocks until at most {@code left} are pending. */
    private void settle(int left, SpillSort places) throws IOException {
        while (waiting.size() > left) {
            var taken = waiting.removeFirst();
            var row = row(taken.row());
            stored += row.ownBytes();
            imported += ImportedBlock.is(row.id()) ? row.rawSize() : 0;
            add(new Row.Block(row));
            if (taken.place().isPresent() && blocks.stay()) {
                places.add(taken.place().get().pack());
                add(taken.place().get());
            }
        }
    }

    private static BlockRow row(Future<BlockRow> taken) throws IOException {
        try {
            return taken.get();
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof IOException io ? io : new IOException(failed.getCause());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new StoppedException();
        }
    }

    private static void requireBelow(DumpLines lines, long number, long next) throws IOException {
        if (number < 1 || number >= next) {
            throw lines.refuse("number %d was never assigned".formatted(number));
        }
    }

    private void counters(SpillSort.Sorted entries, SpillSort.Sorted changes) throws IOException {
        while (entries.peek() != null || changes.peek() != null) {
            long[] entered = entries.peek();
            long[] changed = changes.peek();
            long directory = Math.min(entered == null ? Long.MAX_VALUE : entered[0],
                    changed == null ? Long.MAX_VALUE : changed[0]);
            long count = 0;
            long directories = 0;
            for (long[] entry = entries.next(directory); entry != null; entry = entries.next(directory)) {
                count++;
                directories += entry[1];
            }
            long[] change = changes.next(directory);
            add(new Row.DirectoryCount(directory, 0, new Delta(new long[] {count, directories,
                    change == null ? 0 : change[1]}, new long[] {change == null ? 0 : change[2]})));
        }
    }

    private void uses(SpillSort.Sorted sorted) throws IOException {
        while (sorted.peek() != null) {
            long block = sorted.peek()[0];
            long count = 0;
            while (sorted.next(block) != null) {
                count++;
            }
            if (count != 1) {
                add(new Row.Uses(block, count));
            }
        }
    }

    private void packs(SpillSort.Sorted sorted) throws IOException {
        while (sorted.peek() != null) {
            long pack = sorted.peek()[0];
            long count = 0;
            while (sorted.next(pack) != null) {
                count++;
            }
            add(new Row.Pack(pack, new UUID(0, 0), count));
        }
    }

    private void add(Row row) throws IOException {
        batch.add(row);
        batchBytes += row.entry().value().length;
        rows++;
        if (batch.size() == BATCH || batchBytes > BATCH_BYTES) {
            flush();
        }
    }

    private void flush() throws IOException {
        var some = List.copyOf(batch);
        batch.clear();
        batchBytes = 0;
        engine.transact(tx -> {
            for (var row : some) {
                tx.put(row.entry().key(), row.entry().value());
            }
            return null;
        });
    }
}
