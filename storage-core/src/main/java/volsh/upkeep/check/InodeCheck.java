package volsh.upkeep.check;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.fs.FileKind;
import volsh.inventory.Row;
import volsh.meta.Namespace;
import volsh.meta.NodeRow;
import volsh.meta.NodeRow.Storage;
import volsh.upkeep.Directories;
import volsh.upkeep.Group;
import volsh.upkeep.RowTally;
import volsh.upkeep.SpillSort;
import volsh.upkeep.Watcher;

/** Compares all rows that belong to an inode with each other, inode by inode. */
final class InodeCheck {
    private final MetaEngine engine;
    private final CheckOptions options;
    private final Findings findings;
    private final RowTally tally;
    private final CheckPass.Highest highest;
    private final SpillSort extents;
    private final Group nodes;
    private final Group entries;
    private final Group runs;
    private final Group inlines;
    private final Group targets;
    private final Group attributes;
    private final Group counters;
    private long ownersCounted;
    private final Directories directories;
    private final SpillSort.Sorted names;
    private final SpillSort.Sorted orphans;

    /** Extents are added to {@code extents}: block, inode, offset, length, and 1 if the block is to be read. */
    InodeCheck(MetaEngine engine, CheckOptions options, Findings findings, RowTally tally, CheckPass.Highest highest,
            SpillSort extents, Watcher watcher, Directories directories, SpillSort.Sorted names,
            SpillSort.Sorted orphans) {
        this.engine = engine;
        this.options = options;
        this.findings = findings;
        this.tally = tally;
        this.highest = highest;
        this.extents = extents;
        this.nodes = group(engine, 'N', watcher);
        this.entries = group(engine, 'E', watcher);
        this.runs = group(engine, 'X', watcher);
        this.inlines = group(engine, 'D', watcher);
        this.targets = group(engine, 'L', watcher);
        this.attributes = group(engine, 'A', watcher);
        this.counters = group(engine, 'S', watcher);
        this.directories = directories;
        this.names = names;
        this.orphans = orphans;
    }

    private Group group(MetaEngine engine, char kind, Watcher watcher) {
        return new Group(engine, kind, watcher, row -> CheckPass.report(findings, row));
    }

    /** Up to which inode the owners are counted. */
    private long ownersCounted() throws IOException {
        var key = new Row.OwnersCounted(0).entry().key();
        byte[] row = engine.survey(tx -> tx.get(key));
        return row != null && Row.of(new MetaEngine.Entry(key, row)) instanceof Row.OwnersCounted(long below)
                ? below : 0;
    }

    void run() throws IOException {
        this.ownersCounted = ownersCounted();
        boolean rooted = false;
        for (var ino = next(); ino != null; ino = next()) {
            var node = (Row.Node) nodes.next(ino);
            rooted |= ino == Namespace.ROOT && node != null;
            new One(ino, node).run();
        }
        if (!rooted) {
            findings.add(Finding.ofInode(Damage.ROOT_MISSING, Namespace.ROOT, "", Row.from('N', Namespace.ROOT), 0));
        }
        for (long ino : directories.cycles()) {
            findings.add(Finding.ofInode(Damage.DIRECTORY_CYCLE, ino, "", Row.from('N', ino), 0));
        }
    }

    /** The smallest inode with any rows left. */
    private @Nullable Long next() throws IOException {
        Long least = null;
        for (var group : List.of(nodes, entries, runs, inlines, targets, attributes, counters)) {
            if (group.hasMore()) {
                least = least == null || Long.compareUnsigned(group.number(), least) < 0 ? Long.valueOf(group.number())
                        : least;
            }
        }
        for (var sorted : List.of(names, orphans)) {
            if (sorted.peek() != null) {
                least = least == null || Long.compareUnsigned(sorted.peek()[0], least) < 0
                        ? Long.valueOf(sorted.peek()[0]) : least;
            }
        }
        return least;
    }

    /** Everything about one inode. */
    private final class One {
        private final long ino;
        private final Row.@Nullable Node node;   // null if it is missing
        private final @Nullable NodeRow row;
        private final MetaKey key;
        private long nameCount;
        private final List<Long> places = new ArrayList<>();
        private long entryCount;
        private long directoryCount;
        private long held;
        private long end;
        private boolean hasExtents;
        private Row.@Nullable Inline inline;
        private Row.@Nullable Target target;
        private boolean hasAttributes;
        private boolean below;

        One(long ino, Row.@Nullable Node node) {
            this.ino = ino;
            this.node = node;
            this.row = node == null ? null : node.row();
            this.key = Row.from('N', ino);
        }

        private void found(Damage damage, String detail, long number) {
            findings.add(Finding.ofInode(damage, ino, detail, key, number));
        }

        private void found(Damage damage, String detail, @Nullable MetaKey of) {
            findings.add(new Finding(damage, "inode " + Long.toUnsignedString(ino), detail, of, ino, List.of(ino)));
        }

        void run() throws IOException {
            takeNames();
            below = isBelow();
            takeEntries();
            takeBytes();
            while (attributes.next(ino) != null) {
                hasAttributes = true;
            }
            if (node == null) {
                missing();
            } else {
                highest.inode(ino);
                highest.tick(node.since());
                linked(node.row());
                bytes(node.row());
            }
            counters();
            orphans();
        }

        private boolean isBelow() {
            return options.below().isEmpty() || ino == options.below().getAsLong()
                    || places.stream().anyMatch(place -> directories.isBelow(place, options.below().getAsLong()));
        }

        private void takeNames() throws IOException {
            for (long[] name = names.next(ino); name != null; name = names.next(ino)) {
                nameCount++;
                if (places.size() < 100) {
                    places.add(name[1]);
                }
                if (row != null && name[2] != row.kind().code()) {
                    found(Damage.KIND_WRONG, "a name in inode %d says %s, but it is a %s"
                            .formatted(name[1], FileKind.of((int) name[2]), row.kind()), name[1]);
                }
            }
        }

        private void takeEntries() throws IOException {
            MetaKey first = null;
            for (var entry = (Row.Entry) entries.next(ino); entry != null; entry = (Row.Entry) entries.next(ino)) {
                first = first == null ? entry.entry().key() : first;
                highest.tick(entry.since());
                entryCount++;
                directoryCount += entry.kind() == FileKind.DIRECTORY ? 1 : 0;
            }
            if (row != null && !row.isDirectory() && entryCount > 0) {
                found(Damage.ENTRY_OUTSIDE_DIRECTORY, "%d entries of a %s".formatted(entryCount, row.kind()), first);
            }
        }

        private void takeBytes() throws IOException {
            for (var run = (Row.Run) runs.next(ino); run != null; run = (Row.Run) runs.next(ino)) {
                take(run);
            }
            inline = (Row.Inline) inlines.next(ino);
            target = (Row.Target) targets.next(ino);
            if (inline != null) {
                highest.tick(inline.since());
            }
            if (target != null) {
                highest.tick(target.since());
            }
        }

        private void take(Row.Run run) throws IOException {
            highest.tick(run.since());
            extents.add(run.block(), ino, run.offset(), run.length(), below ? 1 : 0);
            tally.extent();
            if (!run.isPossible()) {
                found(Damage.EXTENT_IMPOSSIBLE, "[%d, %d) at %d of block %016x".formatted(run.start(), run.end(),
                        run.offset(), run.block()), run.entry().key());
                return;
            }
            hasExtents = true;
            if (run.start() < end) {
                found(Damage.EXTENT_OVERLAP, "[%d, %d) and one that ends at %d".formatted(run.start(), run.end(), end),
                        run.entry().key());
            }
            held += run.length();
            end = Math.max(end, run.end());
        }

        /** There is no such inode. */
        private void missing() {
            if (hasExtents || inline != null || target != null || hasAttributes || entryCount > 0) {
                found(Damage.ROWS_WITHOUT_INODE, "%s%s%s%s%d entries".formatted(hasExtents ? "extents, " : "",
                        inline != null ? "bytes, " : "", target != null ? "a target, " : "",
                        hasAttributes ? "attributes, " : "", entryCount), places.isEmpty() ? 0 : places.getFirst());
            } else if (nameCount > 0) {
                found(Damage.ENTRY_WITHOUT_INODE,
                        "%d names, one of them in inode %d".formatted(nameCount, places.getFirst()), places.getFirst());
            }
        }

        private void linked(NodeRow row) {
            if (row.isDirectory()) {
                directory(row);
            } else if (nameCount == 0) {
                if (row.links() > 0) {
                    found(Damage.INODE_LOST, "a %s of %d bytes".formatted(row.kind(), row.size()), 0);
                }
            } else if (nameCount != row.links()) {
                found(Damage.LINKS_WRONG, "counts %d, but has %d names".formatted(row.links(), nameCount), nameCount);
            }
            if (row.links() > 0) {
                tally.linked(row.size(), row.isDirectory());
                if (ino < ownersCounted) {
                    tally.account(row);
                } else {
                    tally.project(row);
                }
            }
        }

        private void directory(NodeRow row) {
            boolean root = ino == Namespace.ROOT;
            if (nameCount > (root ? 0 : 1)) {
                found(Damage.DIRECTORY_NAMES, "%d names".formatted(nameCount), places.getFirst());
            } else if ((root || nameCount == 1) && row.parent() != (root ? ino : places.getFirst())) {
                found(Damage.PARENT_WRONG, "says %d".formatted(row.parent()), root ? ino : places.getFirst());
            }
            if (row.links() != 2) {
                found(Damage.LINKS_WRONG, "a directory counts %d".formatted(row.links()), 2);
            }
        }

        private void bytes(NodeRow row) {
            if (row.kind() != FileKind.REGULAR && (hasExtents || inline != null)) {
                found(Damage.ROW_MISPLACED, "a %s with bytes".formatted(row.kind()), 0);
            }
            if (row.kind() != FileKind.SYMLINK && target != null) {
                found(Damage.ROW_MISPLACED, "a %s with a target".formatted(row.kind()), 1);
            }
            switch (row.kind()) {
                case REGULAR -> file(row);
                case SYMLINK -> link(row);
                default -> { }
            }
        }

        private void file(NodeRow row) {
            if (hasExtents && row.storage() != Storage.EXTENTS) {
                found(Damage.STORAGE_WRONG, "says " + row.storage(), 0);
            }
            if (inline != null && (row.storage() != Storage.INLINE || hasExtents)) {
                found(Damage.INLINE_UNEXPECTED, hasExtents ? "beside extents" : "says " + row.storage(), 0);
            }
            if (inline == null && row.storage() == Storage.INLINE && !hasExtents) {
                found(Damage.INLINE_MISSING, "%d bytes".formatted(row.size()), 0);
                return;
            }
            long behind = Math.max(end, inline == null ? 0 : inline.bytes().length);
            if (row.size() < behind || row.size() > volsh.meta.Files.SIZE_MAX) {
                found(Damage.SIZE_WRONG, "says %d, but has bytes up to %d".formatted(row.size(), behind), behind);
            }
            long holds = held + (inline == null ? 0 : inline.bytes().length);
            // by a version that did not record its progress
            boolean halfFreed = row.links() == 0 && holds < row.allocated();
            if (holds != row.allocated() && !halfFreed) {
                found(Damage.ALLOCATED_WRONG, "says %d, but holds %d".formatted(row.allocated(), holds), holds);
            }
        }

        private void link(NodeRow row) {
            if (target == null) {
                found(Damage.TARGET_MISSING, "", 0);
            } else if (target.bytes().length != row.size()) {
                found(Damage.SIZE_WRONG, "says %d, but its target has %d bytes"
                        .formatted(row.size(), target.bytes().length), target.bytes().length);
            }
        }

        private void counters() throws IOException {
            long saidEntries = 0;
            long saidDirectories = 0;
            boolean any = false;
            for (var count = (Row.DirectoryCount) counters.next(ino); count != null;
                    count = (Row.DirectoryCount) counters.next(ino)) {
                any = true;
                saidEntries += count.entries();
                saidDirectories += count.directories();
            }
            boolean directory = row != null && row.isDirectory();
            if (directory ? saidEntries != entryCount || saidDirectories != directoryCount : any) {
                found(Damage.DIRECTORY_COUNT_WRONG,
                        directory ? "counts %d entries, %d of them directories, but has %d and %d"
                        .formatted(saidEntries, saidDirectories, entryCount, directoryCount)
                        : "counters of something other than a directory", directory ? 1 : 0);
            }
        }

        /**
         * Something without a name must be listed for removal; a listed directory with entries was replaced, or is a
         * copy being made.
         */
        private void orphans() throws IOException {
            boolean waits = false;
            for (long[] orphan = orphans.next(ino); orphan != null; orphan = orphans.next(ino)) {
                boolean right = row != null && nameCount == 0 && row.links() == (row.isDirectory() ? 2 : 0)
                        && row.parent() == orphan[1];
                waits |= right;
                if (!right) {
                    found(Damage.ORPHAN_WRONG, row == null ? "no such inode" : "it has %d names".formatted(nameCount),
                            new Row.Orphan(orphan[1], ino).entry().key());
                }
            }
            if (row == null || nameCount > 0 || waits || ino == Namespace.ROOT) {
                return;
            }
            if (row.isDirectory()) {
                found(Damage.INODE_LOST, "a directory with %d entries".formatted(entryCount), 0);
            } else if (row.links() == 0) {
                found(Damage.INODE_LOST, "a %s of %d bytes, not listed for removal".formatted(row.kind(), row.size()),
                        0);
            }
        }
    }
}
