package volsh.upkeep.check;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.MissingStoreException;
import volsh.block.NoSuchBlockException;
import volsh.block.UnavailableException;
import volsh.codec.FrameIndex;
import volsh.engine.Keys;
import volsh.engine.MetaEngine;
import volsh.fs.BlockRow;
import volsh.fs.ImportedBlock;
import volsh.inventory.Row;
import volsh.meta.Session;
import volsh.upkeep.Cursor;
import volsh.upkeep.Group;
import volsh.upkeep.NumberTable;
import volsh.upkeep.RowTally;
import volsh.upkeep.SpillSort;
import volsh.upkeep.Watcher;

/** Compares the rows of each block with the rows that name it and with its object, block by block. */
final class BlockCheck {
    private static final int FILES_TOLD = 8;

    private final MetaEngine engine;
    private final StoredBlocks stored;
    private final @Nullable PartCheck parts;   // null if there is one store
    private final CheckOptions options;
    private final Findings findings;
    private final RowTally tally;
    private final CheckPass.Highest highest;
    private final Group rows;
    private final Group imported;
    private final Group counts;
    private final Group places;
    private final SpillSort.Sorted extents;
    private final SpillSort.Sorted dead;
    private final SpillSort.Sorted objects;
    private final NumberTable packs;
    private final SpillSort placed;
    private final DeepRead deep;
    private final List<Session> sessions;
    private final boolean journals;

    /** What was read before, by block; places of blocks are added to {@code placed}: pack, block, offset, length. */
    record Sources(SpillSort.Sorted extents, SpillSort.Sorted dead, SpillSort.Sorted objects, NumberTable packs,
            SpillSort placed, DeepRead deep) {}

    BlockCheck(MetaEngine engine, StoredBlocks stored, CheckOptions options, Findings findings, RowTally tally,
            CheckPass.Highest highest, Watcher watcher, Sources sources) throws IOException {
        this.engine = engine;
        this.stored = stored;
        this.parts = stored.parts().isEmpty() ? null : new PartCheck(stored, findings);
        this.options = options;
        this.findings = findings;
        this.tally = tally;
        this.highest = highest;
        this.rows = group('b', watcher);
        this.imported = group('x', watcher);
        this.counts = group('u', watcher);
        this.places = group('l', watcher);
        this.extents = sources.extents();
        this.dead = sources.dead();
        this.objects = sources.objects();
        this.packs = sources.packs();
        this.placed = sources.placed();
        this.deep = sources.deep();
        this.sessions = SmallRowsCheck.sessions(engine);
        this.journals = Cursor.of(engine, 'p', Watcher.NONE).peek() != null;
    }

    private Group group(char kind, Watcher watcher) {
        return new Group(engine, kind, watcher, row -> CheckPass.report(findings, row));
    }

    void run() throws IOException {
        for (var id = next(); id != null; id = next()) {
            new One(id).run();
        }
        packs.close();
        if (parts != null) {
            parts.away();
        }
    }

    private @Nullable Long next() throws IOException {
        Long least = null;
        for (var group : List.of(rows, imported, counts, places)) {
            if (group.hasMore()) {
                least = least == null || Long.compareUnsigned(group.number(), least) < 0 ? Long.valueOf(group.number())
                        : least;
            }
        }
        for (var sorted : List.of(extents, dead, objects)) {
            if (sorted.peek() != null) {
                least = least == null || Long.compareUnsigned(sorted.peek()[0], least) < 0
                        ? Long.valueOf(sorted.peek()[0]) : least;
            }
        }
        return least;
    }

    /** Everything about one block. */
    private final class One {
        private final long id;
        private long named;
        private boolean wanted;
        private final List<Long> inodes = new ArrayList<>();
        private long moreFiles;
        private long lastInode;
        private long reach;
        private long reachingFile;
        private @Nullable Long count;
        private final List<Long> deaths = new ArrayList<>();
        private Row.@Nullable Place place;
        private @Nullable Long objectSize;
        private final List<BlockParts.Wanted> objectParts = new ArrayList<>();

        One(long id) {
            this.id = id;
        }

        private FilesOfBlock files() {
            return new FilesOfBlock(inodes, moreFiles);
        }

        private void found(Damage damage, String detail, long number) {
            findings.add(Finding.ofBlock(damage, id, detail, Keys.block(id), number, files()));
        }

        void run() throws IOException {
            take();
            var head = ImportedBlock.is(id) ? imported : rows;
            if (!(head.next(id) instanceof Row.Block(BlockRow row))) {
                unknown();
                return;
            }
            highest.block(ImportedBlock.number(id));
            references(row);
            if (reach > row.rawSize()) {
                findings.add(Finding.ofBlock(Damage.EXTENT_PAST_BLOCK, id,
                        "inode %d uses bytes up to %d of %d".formatted(reachingFile, reach, row.rawSize()),
                        Keys.block(id), 0, new FilesOfBlock(List.of(reachingFile), 0)));
            }
            boolean sound = ImportedBlock.is(id) || described(row);
            if (deaths.isEmpty()) {
                tally.block(row);
                stored(row, sound);
            }
        }

        private void stored(BlockRow row, boolean sound) throws IOException {
            if (ImportedBlock.is(id)) {
                checkObject(row);
            } else if (parts != null && place == null) {
                parts.run(row, objectParts, files(), sound && wanted && options.deep(), deep);
            } else if (sound && isStored(row) && wanted) {
                deep.read(row, files());
            }
        }

        private void checkObject(BlockRow row) throws IOException {
            if (wanted && options.deep()) {
                deep.readImported(row, files());
            }
        }

        private void take() throws IOException {
            count = counts.next(id) instanceof Row.Uses uses ? uses.count() : null;
            place = (Row.Place) places.next(id);
            if (place != null) {
                placed.add(place.pack(), id, place.offset(), place.length());
            }
            for (long[] extent = extents.next(id); extent != null; extent = extents.next(id)) {
                take(extent);
            }
            for (long[] death = dead.next(id); death != null; death = dead.next(id)) {
                deaths.add(death[1]);
            }
            for (long[] object = objects.next(id); object != null; object = objects.next(id)) {
                objectSize = object[3] + (objectSize == null ? 0 : objectSize);
                objectParts.add(new BlockParts.Wanted((int) object[1], (int) object[2], object[3]));
            }
        }

        private void take(long[] extent) {
            named++;
            wanted |= extent[4] == 1 || options.below().isEmpty();
            if (named == 1 || extent[1] != lastInode) {   // they are sorted
                lastInode = extent[1];
                if (inodes.size() < FILES_TOLD) {
                    inodes.add(extent[1]);
                } else {
                    moreFiles++;
                }
            }
            if (extent[2] + extent[3] > reach) {
                reach = extent[2] + extent[3];
                reachingFile = extent[1];
            }
        }

        /** There is no row, or no readable one. */
        private void unknown() {
            if (named > 0) {
                highest.block(ImportedBlock.number(id));
                found(Damage.BLOCK_ROW_MISSING, "%d extents; object %s"
                        .formatted(named, objectSize == null ? "missing" : "of %d bytes".formatted(objectSize)), 0);
            } else if (!deaths.isEmpty()) {
                found(Damage.DEAD_WRONG, "no such block", 0);
            } else if (count != null) {
                found(Damage.USES_WRONG, "no such block", -1);
            } else if (objectSize != null && sessions.stream().noneMatch(session -> session.owns(id))) {
                found(Damage.OBJECT_UNUSED, "%d bytes".formatted(objectSize), objectSize);
            }
        }

        private void references(BlockRow row) {
            if (deaths.size() > 1) {
                found(Damage.DEAD_WRONG, "it is listed as dead %d times".formatted(deaths.size()), deaths.getFirst());
            }
            if (named > 0 && !deaths.isEmpty()) {
                found(Damage.BLOCK_DEAD_USED, "%d extents".formatted(named), named);
            } else if (named == 0 && deaths.isEmpty()) {
                found(Damage.BLOCK_UNUSED, "%d bytes".formatted(row.storedSize()), 0);
            } else if ((count == null ? 1 : count) != named || count != null && count == 1) {
                found(Damage.USES_WRONG, "counts %s, but has %d".formatted(count == null ? "1" : count, named), named);
            }
        }

        /** Whether its row is possible. */
        private boolean described(BlockRow row) {
            try {
                var index = FrameIndex.parse(row.index());
                if (index.rawSize() == row.rawSize() && index.storedSize() == row.storedSize()) {
                    return true;
                }
                found(Damage.BLOCK_ROW_WRONG, "%d and %d bytes, but its frames have %d and %d"
                        .formatted(row.rawSize(), row.storedSize(), index.rawSize(), index.storedSize()), id);
            } catch (IOException nonsense) {
                found(Damage.BLOCK_ROW_WRONG, String.valueOf(nonsense.getMessage()), id);
            }
            return false;
        }

        private boolean isStored(BlockRow row) throws IOException {
            if (place != null) {
                return isPlaced(row, place);
            }
            if (objectSize != null && objectSize == row.storedSize()) {
                return true;
            }
            return confirm(row);
        }

        private boolean isPlaced(BlockRow row, Row.Place place) {
            int pack = packs.find(place.pack());
            boolean right = pack >= 0 && place.offset() >= 0 && place.offset() + place.length() <= packs.value(pack)
                    && place.length() == row.storedSize();
            if (!right) {
                found(Damage.PLACE_WRONG, "[%d, +%d) of pack %016x, which has %s; the block has %d bytes".formatted(
                        place.offset(), place.length(), place.pack(),
                        pack < 0 ? "no object" : packs.value(pack) + " bytes", row.storedSize()), 0);
            }
            return right;
        }

        /** Checks again: the listing may be older than the block, or the block may be in a journal. */
        private boolean confirm(BlockRow row) throws IOException {
            var one = ByteBuffer.allocateDirect(2);
            try {
                int got = stored.store().get(BlockKey.of(id), row.storedSize() - 1, one);
                if (got == 1) {
                    return true;
                }
                found(Damage.OBJECT_SIZE_WRONG, objectSize == null ? "its row says %d bytes".formatted(row.storedSize())
                        : "%d bytes, but its row says %d".formatted(objectSize, row.storedSize()), 0);
            } catch (UnavailableException waiting) {
                if (!journals || waiting instanceof MissingStoreException) {
                    throw waiting;   // the store is unavailable; otherwise it is in a journal of another host
                }
                tally.waiting();
            } catch (NoSuchBlockException missing) {
                found(Damage.OBJECT_MISSING, "%d bytes".formatted(row.storedSize()), 0);
            }
            return false;
        }
    }
}
