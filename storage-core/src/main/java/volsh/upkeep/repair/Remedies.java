package volsh.upkeep.repair;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import volsh.engine.Delta;
import volsh.engine.Keys;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.fs.FileKind;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.inventory.Row;
import volsh.meta.Namespace;
import volsh.meta.NodeRow;
import volsh.meta.NodeRow.Storage;
import volsh.upkeep.RowIndex;
import volsh.upkeep.check.Finding;
import volsh.upkeep.check.ObjectHeads;

/** The remedy for each kind of damage, as changes of rows. Wrong counts are left to the remedies for counts. */
final class Remedies {
    private static final int ROWS_MAX = 200;

    private final RepairDraft draft;
    private final ObjectHeads objects;
    private final LostAndFound lost;
    private final LostBytes lostBytes;
    private final RowIndex names;
    private final RowIndex deaths;

    /** {@code names} and {@code deaths} find entries of directories and dead blocks for all repairs of a round. */
    Remedies(RepairDraft draft, ObjectHeads objects, RowIndex names, RowIndex deaths) {
        this.draft = draft;
        this.objects = objects;
        this.names = names;
        this.deaths = deaths;
        this.lost = new LostAndFound(draft);
        this.lostBytes = new LostBytes(draft, lost);
    }

    void apply(Finding found) throws IOException {
        switch (found.damage()) {
            case SESSION_UNREADABLE, ROW_UNREADABLE, EXTENT_IMPOSSIBLE, HISTORY_WRONG, NAME_INVALID,
                    ORPHAN_WRONG -> draft.remove(found.repairedRow());
            case BYTES_UNREADABLE -> lostBytes.unreadable(found.repairedRow());
            case ROOT_MISSING -> draft.put(new Row.Node(Namespace.ROOT, lost.tick(),
                    lost.node(FileKind.DIRECTORY, 0755, 2, Namespace.ROOT, 0, Storage.NONE, 0)));
            case TICK_BEHIND -> draft.put(new Row.Tick(found.number()));
            case NUMBER_BEHIND -> draft.put(new Row.NextNumber(found.subject().substring("counter ".length()),
                    found.number()));
            case PINS_WRONG -> pins(found);
            case EXTENT_OVERLAP -> overlap(found);
            case ROW_MISPLACED -> misplaced(found);
            case INLINE_UNEXPECTED -> inline(ino(found));
            case STORAGE_WRONG -> change(found, row -> with(row, Storage.EXTENTS, row.size(), row.allocated()));
            case SIZE_WRONG -> change(found, row -> with(row, row.storage(), found.number(), row.allocated()));
            case ALLOCATED_WRONG -> {
                if (!lostBytes.areMarked(ino(found))) {
                    change(found, row -> with(row, row.storage(), row.size(), found.number()));
                }
            }
            case HISTORY_OVERLAP -> historyOverlap(found);
            case ROWS_WITHOUT_INODE -> rebuild(ino(found), found.number());
            case ENTRY_WITHOUT_INODE -> removeNames(found.number(), ino(found), Integer.MAX_VALUE);
            case ENTRY_OUTSIDE_DIRECTORY -> removeEntries(ino(found));
            case DIRECTORY_NAMES -> directoryNames(found);
            case DIRECTORY_CYCLE -> cycle(ino(found));
            case INODE_LOST -> lost(ino(found));
            case LINKS_WRONG -> change(found, row -> with(row, (int) found.number(), row.parent()));
            case PARENT_WRONG -> change(found, row -> with(row, row.links(), found.number()));
            case KIND_WRONG -> kind(found);
            case BLOCK_ROW_MISSING, BLOCK_ROW_WRONG -> block(found);
            case BLOCK_DEAD_USED -> revive(found);
            case BLOCK_UNUSED -> kill(block(found.repairedRow()));
            case USES_WRONG -> uses(block(found.repairedRow()), found.number());
            case DEAD_WRONG -> dead(block(found.repairedRow()), found.number());
            case PACK_MISSING -> draft.put(new Row.Pack(block(found.repairedRow()), new UUID(0, 0), found.number()));
            case PACK_COUNT_WRONG -> pack(found);
            case DIRECTORY_COUNT_WRONG -> count(ino(found), found.number() == 1);
            case QUOTA_COUNT_WRONG -> account(found);
            case USAGE_WRONG -> {
                if (found.repairedRow().equals(Keys.imported(0))) {
                    only(new Row.ImportedCount(0, Delta.of(found.number())), Keys.imported());
                } else if (found.repairedRow().equals(Keys.directories(0))) {
                    directories(found.number());
                } else {
                    usage(found);
                }
            }
            case DIRECTORIES_UNCOUNTED -> directories(found.number());
            case PART_MISSING, PART_CORRUPT, STORE_AWAY -> { }
            // of the file as a whole: reported and repaired outside of the rows
            case LOG_DAMAGED, RECORD_UNREADABLE, DATABASE_DAMAGED -> { }
            case INLINE_MISSING, TARGET_MISSING, EXTENT_PAST_BLOCK, OBJECT_MISSING, OBJECT_SIZE_WRONG, OBJECT_CORRUPT,
                    IMPORT_CHANGED, PLACE_WRONG, JOURNAL_UNREADABLE, UNKNOWN_ROW, OBJECT_UNUSED, PUT_CUT_OFF -> { }
        }
    }

    private static long ino(Finding found) {
        return found.inodes().getFirst();
    }

    private static long block(MetaKey row) {
        return ByteBuffer.wrap(row.bytes()).getLong(1);
    }

    private interface NodeChange {
        NodeRow of(NodeRow row);
    }

    private void change(Finding found, NodeChange change) throws IOException {
        if (draft.row(Row.from('N', ino(found))) instanceof Row.Node node) {
            draft.put(node.with(change.of(node.row())));
        }
    }

    private static NodeRow with(NodeRow row, Storage storage, long size, long allocated) {
        return new NodeRow(row.kind(), storage, row.mode(), row.uid(), row.gid(), row.links(), row.device(),
                row.project(), row.layout(), row.parent(), size, allocated, row.atime(), row.mtime(), row.ctime(),
                row.version() + 1);
    }

    private static NodeRow with(NodeRow row, int links, long parent) {
        return new NodeRow(row.kind(), row.storage(), row.mode(), row.uid(), row.gid(), links, row.device(),
                row.project(), row.layout(), parent, row.size(), row.allocated(), row.atime(), row.mtime(), row.ctime(),
                row.version());
    }

    private void pins(Finding found) throws IOException {
        if (draft.row(found.repairedRow()) instanceof Row.Retention(long window, long[] pins)) {
            long[] sorted = pins.clone();
            Arrays.sort(sorted);
            draft.put(new Row.Retention(window, sorted));
        }
    }

    // ---- bytes

    /** Lays the extents around the finding again, the older first. */
    private void overlap(Finding found) throws IOException {
        long ino = ino(found);
        var all = new ArrayList<Row.Run>();
        var rows = draft.all(Row.from('X', ino));
        while (rows.peek() != null && all.size() < ROWS_MAX) {
            if (Row.of(rows.next()) instanceof Row.Run run && run.isPossible()) {
                all.add(run);
                if (!overlaps(all, run) && run.entry().key().compareTo(found.repairedRow()) < 0) {
                    all.removeIf(other -> other.end() <= run.start());
                }
            }
            if (rows.peek() != null && rows.peek().key().compareTo(found.repairedRow()) > 0) {
                break;
            }
        }
        relay(ino, all);
    }

    private static boolean overlaps(List<Row.Run> all, Row.Run run) {
        return all.stream()
                .anyMatch(other -> !other.equals(run) && other.start() < run.end() && run.start() < other.end());
    }

    private void relay(long ino, List<Row.Run> runs) throws IOException {
        var laid = new ArrayList<Row.Run>();
        for (var run : runs.stream().sorted(Comparator.comparingLong(Row.Run::since)).toList()) {
            var next = new ArrayList<Row.Run>();
            for (var old : laid) {
                cut(old, run.start(), run.end(), next);
            }
            next.add(run);
            laid = next;
        }
        for (var run : runs) {
            draft.remove(run.entry().key());
        }
        for (var run : laid) {
            draft.put(new Row.Run(ino, run.end(), run.since(), run.length(), run.block(), run.offset()));
        }
    }

    /** What is left of an extent without {@code [from, to)}. */
    private static void cut(Row.Run run, long from, long to, List<Row.Run> pieces) {
        if (run.end() <= from || run.start() >= to) {
            pieces.add(run);
            return;
        }
        if (run.start() < from) {
            pieces.add(new Row.Run(run.ino(), from, run.since(), from - run.start(), run.block(), run.offset()));
        }
        if (run.end() > to) {
            pieces.add(new Row.Run(run.ino(), run.end(), run.since(), run.end() - to, run.block(),
                    run.offset() + to - run.start()));
        }
    }

    /** Removes a target; moves bytes to a file of their own. */
    private void misplaced(Finding found) throws IOException {
        long ino = ino(found);
        if (found.number() == 1) {
            draft.remove(Row.from('L', ino));
            return;
        }
        var runs = new ArrayList<Row.Run>();
        var rows = draft.all(Row.from('X', ino));
        while (rows.peek() != null) {
            if (Row.of(rows.next()) instanceof Row.Run run) {
                runs.add(run);
            }
        }
        if (!runs.isEmpty()) {
            long held = runs.stream().mapToLong(Row.Run::length).sum();
            long file = salvage(ino, "extents", runs.getLast().end(), Storage.EXTENTS, held);
            for (var run : runs) {   // possibly in several transactions: rather duplicated than lost
                draft.put(new Row.Run(file, run.end(), run.since(), run.length(), run.block(), run.offset()));
                draft.remove(run.entry().key());
            }
        } else {
            salvageInline(ino);
        }
    }

    private void salvageInline(long ino) throws IOException {
        if (draft.row(Row.from('D', ino)) instanceof Row.Inline inline) {
            long file = salvage(ino, "inline", inline.bytes().length, Storage.INLINE, inline.bytes().length);
            draft.remove(inline.entry().key());
            draft.put(new Row.Inline(file, inline.since(), inline.bytes()));
        }
    }

    /** Creates a file for bytes that another inode cannot have. */
    private long salvage(long ino, String what, long size, Storage storage, long held) throws IOException {
        long file = lost.newInode();
        long directory = lost.take(file, FileKind.REGULAR, "inode-%d.%s".formatted(ino, what));
        draft.put(new Row.Node(file, lost.tick(),
                lost.node(FileKind.REGULAR, 0600, 1, directory, size, storage, held)));
        return file;
    }

    private void inline(long ino) throws IOException {
        if (draft.scan(Row.from('X', ino), 1).isEmpty()) {
            if (draft.row(Row.from('N', ino)) instanceof Row.Node node) {
                draft.put(node.with(with(node.row(), Storage.INLINE, node.row().size(), node.row().allocated())));
            }
        } else {
            salvageInline(ino);
        }
    }

    private void historyOverlap(Finding found) throws IOException {
        if (draft.row(found.repairedRow()) instanceof Row.Version version) {
            if (found.number() >= version.end()) {
                draft.remove(found.repairedRow());
                return;
            }
            byte[] value = version.entry().value().clone();
            ByteBuffer.wrap(value).putLong(found.number());
            draft.put(new Row.Other(new volsh.engine.MetaEngine.Entry(found.repairedRow(), value)));
        }
    }

    // ---- names

    /** Recreates an inode from its rows. */
    private void rebuild(long ino, long named) throws IOException {
        var entry = named == 0 ? null : entry(named, ino);
        boolean isDirectory = !draft.scan(Row.from('E', ino), 1).isEmpty()
                || entry != null && entry.kind() == FileKind.DIRECTORY;
        boolean isLink = !isDirectory && draft.row(Row.from('L', ino)) instanceof Row.Target;
        long end = 0;
        long held = 0;
        var runs = draft.all(Row.from('X', ino));
        while (runs.peek() != null) {
            if (Row.of(runs.next()) instanceof Row.Run run) {
                end = Math.max(end, run.end());
                held += run.length();
            }
        }
        var storage = end > 0 ? Storage.EXTENTS : Storage.NONE;
        if (end == 0 && draft.row(Row.from('D', ino)) instanceof Row.Inline inline) {
            end = held = inline.bytes().length;
            storage = Storage.INLINE;
        }
        if (isLink && draft.row(Row.from('L', ino)) instanceof Row.Target target) {
            end = target.bytes().length;
        }
        if (ino == Namespace.ROOT) {
            draft.put(new Row.Node(ino, lost.tick(), lost.node(FileKind.DIRECTORY, 0755, 2, ino, 0, Storage.NONE, 0)));
            return;
        }
        var kind = isDirectory ? FileKind.DIRECTORY : isLink ? FileKind.SYMLINK : FileKind.REGULAR;
        boolean data = kind == FileKind.REGULAR;
        long parent = entry != null ? named : lost.take(ino, kind, "inode-" + Long.toUnsignedString(ino));
        draft.put(new Row.Node(ino, lost.tick(), lost.node(kind, isDirectory ? 0700 : isLink ? 0777 : 0600,
                isDirectory ? 2 : 1, parent, isDirectory ? 0 : end, data ? storage : Storage.NONE, data ? held : 0)));
    }

    private Row.@Nullable Entry entry(long directory, long ino) throws IOException {
        return names(directory, ino).stream().findFirst().orElse(null);
    }

    /** The names of the inode in a directory. */
    private List<Row.Entry> names(long directory, long ino) throws IOException {
        var found = new ArrayList<Row.Entry>();
        for (var key : names.find(Row.from('E', directory), row -> row instanceof Row.Entry entry ? entry.ino() : 0,
                ino)) {
            if (draft.row(key) instanceof Row.Entry entry && entry.ino() == ino) {
                found.add(entry);
            }
        }
        return found;
    }

    /** Removes at most {@code most} names of the inode in a directory. */
    private void removeNames(long directory, long ino, int most) throws IOException {
        for (var entry : names(directory, ino).stream().limit(most).toList()) {
            draft.remove(entry.entry().key());
        }
    }

    private void removeEntries(long ino) throws IOException {
        var entries = draft.all(Row.from('E', ino));
        while (entries.peek() != null) {
            draft.remove(entries.next().key());
        }
    }

    /** Keeps the name in the parent that the directory names, otherwise the first one found. */
    private void directoryNames(Finding found) throws IOException {
        long ino = ino(found);
        if (!(draft.row(Row.from('N', ino)) instanceof Row.Node node)) {
            return;
        }
        boolean keepsOne = ino != Namespace.ROOT;
        long home = entry(node.row().parent(), ino) != null ? node.row().parent() : found.number();
        var entries = draft.all(Row.kind('E'));
        boolean kept = !keepsOne;
        while (entries.peek() != null) {
            if (Row.of(entries.next()) instanceof Row.Entry entry && entry.ino() == ino) {
                if (!kept && entry.directory() == home) {
                    kept = true;
                } else {
                    draft.remove(entry.entry().key());
                }
            }
        }
    }

    private void cycle(long ino) throws IOException {
        if (draft.row(Row.from('N', ino)) instanceof Row.Node node) {
            removeNames(node.row().parent(), ino, 1);
            lost(ino);
        }
    }

    private void lost(long ino) throws IOException {
        if (draft.row(Row.from('N', ino)) instanceof Row.Node node) {
            var row = node.row();
            long directory = lost.take(ino, row.kind(), "inode-" + Long.toUnsignedString(ino));
            draft.put(node.with(with(row, row.isDirectory() ? 2 : 1, directory)));
        }
    }

    private void kind(Finding found) throws IOException {
        if (draft.row(Row.from('N', ino(found))) instanceof Row.Node node) {
            for (var entry : names(found.number(), node.ino())) {
                if (entry.kind() != node.row().kind()) {
                    draft.put(new Row.Entry(entry.directory(), entry.name(), entry.since(), entry.ino(),
                            node.row().kind()));
                }
            }
        }
    }

    // ---- blocks

    private void block(Finding found) throws IOException {
        long id = block(found.repairedRow());
        var row = objects.row(id, found.inodes().isEmpty() ? 0 : found.inodes().getFirst());
        if (row.isPresent()) {
            draft.put(new Row.Block(row.get()));
        } else if (draft.isDamaged(found.repairedRow())) {
            lostBytes.block(id);
        }
    }

    private void revive(Finding found) throws IOException {
        long id = block(found.repairedRow());
        removeDeaths(id, Long.MIN_VALUE);
        uses(id, found.number());
    }

    private void removeDeaths(long id, long kept) throws IOException {
        for (var key : deaths.find(Row.kind('d'), row -> row instanceof Row.Dead dead ? dead.block() : 0, id)) {
            if (draft.row(key) instanceof Row.Dead dead && dead.block() == id && dead.tick() != kept) {
                draft.remove(key);
            }
        }
    }

    private void kill(long id) throws IOException {
        draft.put(new Row.Uses(id, 0));
        draft.put(new Row.Dead(lost.tick(), id));
    }

    /** Sets the count; -1 if the block does not exist. */
    private void uses(long id, long count) throws IOException {
        if (count == 1 || count < 0) {
            draft.remove(Row.from('u', id));
        } else {
            draft.put(new Row.Uses(id, count));
        }
    }

    private void dead(long id, long kept) throws IOException {
        removeDeaths(id, kept == 0 ? Long.MIN_VALUE : kept);
        if (kept == 0) {
            draft.remove(Row.from('u', id));
        }
    }

    private void pack(Finding found) throws IOException {
        if (draft.row(found.repairedRow()) instanceof Row.Pack pack) {
            draft.put(new Row.Pack(pack.id(), pack.journal(), found.number()));
        }
    }

    // ---- counts

    /** Empties all lanes but the first; times and changes stay. */
    private void count(long ino, boolean isDirectory) throws IOException {
        long changes = 0;
        long mtime = 0;
        for (var row : draft.scan(Row.from('S', ino), ROWS_MAX)) {
            if (row instanceof Row.DirectoryCount count) {
                changes += count.counts().sums()[2];
                mtime = Math.max(mtime, count.counts().maxima()[0]);
            }
            draft.remove(row.entry().key());
        }
        if (!isDirectory) {
            return;
        }
        long entries = 0;
        long directories = 0;
        var rows = draft.all(Row.from('E', ino));
        while (rows.peek() != null) {
            if (Row.of(rows.next()) instanceof Row.Entry entry && isName(entry)) {
                entries++;
                directories += entry.kind() == FileKind.DIRECTORY ? 1 : 0;
            }
        }
        draft.put(new Row.DirectoryCount(ino, 0,
                new Delta(new long[] {entries, directories, changes + 1}, new long[] {mtime})));
    }

    private static boolean isName(Row.Entry entry) {
        try {
            Name.of(entry.name());
            return true;
        } catch (FsException invalid) {
            return false;
        }
    }

    /** Like {@link #usage}, for a project or an owner. First sets that owners are counted. */
    private void account(Finding found) throws IOException {
        if (Row.of(new MetaEngine.Entry(found.repairedRow(), new byte[8])) instanceof Row.OwnersCounted) {
            draft.put(new Row.OwnersCounted(found.number()));
            return;
        }
        byte[] key = found.repairedRow().bytes();
        var account = ((Row.AccountCount) Row.of(new MetaEngine.Entry(found.repairedRow(),
                new Delta(new long[2], new long[0]).row()))).account();
        long[] sums = new long[2];
        for (var row : draft.scan(MetaKey.of(Arrays.copyOf(key, key.length - 1)), ROWS_MAX)) {
            if (row instanceof Row.AccountCount(_, _, Delta counts)) {
                sums[0] += counts.sums()[0];
                sums[1] += counts.sums()[1];
            }
            draft.remove(row.entry().key());
        }
        sums[key[key.length - 1]] = found.number();
        draft.put(new Row.AccountCount(account, 0, new Delta(sums, new long[0])));
    }

    private void directories(long right) throws IOException {
        only(new Row.DirectoriesCount(0, new Delta(new long[] {right, 1}, new long[0])), Keys.directories());
    }

    /** Replaces the counters of all lanes by this one. */
    private void only(Row counter, MetaKey lanes) throws IOException {
        for (var row : draft.scan(lanes, ROWS_MAX)) {
            draft.remove(row.entry().key());
        }
        draft.put(counter);
    }

    /** Merges all lanes into one, with the right sum in the place given by the key of the finding. */
    private void usage(Finding found) throws IOException {
        long[] sums = new long[3];
        for (var row : draft.scan(Row.kind('U'), ROWS_MAX)) {
            if (row instanceof Row.UsageCount(_, Delta counts)) {
                for (int i = 0; i < sums.length; i++) {
                    sums[i] += counts.sums()[i];
                }
            }
            draft.remove(row.entry().key());
        }
        sums[found.repairedRow().bytes()[1]] = found.number();
        draft.put(new Row.UsageCount(0, new Delta(sums, new long[0])));
    }
}
