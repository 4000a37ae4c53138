package volsh.volume;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import volsh.assembly.PlacedBlocks;
import volsh.block.Bandwidth;
import volsh.block.NoSuchBlockException;
import volsh.care.BlockRows;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.codec.BlockCodec;
import volsh.codec.BlockIdentity;
import volsh.codec.FrameEncryption;
import volsh.codec.FrameIndex;
import volsh.fs.BlockRow;
import volsh.fs.ImportedBlock;
import volsh.inventory.Packs;
import volsh.meta.InodePaths;
import volsh.place.Arrangement;
import volsh.place.BlockRepair.Condition;
import volsh.place.Placement.Check;
import volsh.place.PlacementRecords.Located;
import volsh.volume.BlockCare.Used;

/**
 * Goes through the blocks of a volume with several stores, to mend or move them: at a limited rate, until it is
 * stopped.
 */
final class BlockRound implements AutoCloseable {
    static final int FILES_TOLD = 20;

    private final Volume volume;
    private final PlacedBlocks spot;
    private final BlockCare.Watcher watcher;
    private final BlockCodec codec;
    private Optional<Bandwidth> limit = Optional.empty();

    /** @throws Refusal INVALID if the volume has one store */
    BlockRound(Volume volume, BlockCare.Watcher watcher) throws Refusal {
        this.volume = volume;
        this.watcher = watcher;
        this.codec = new BlockCodec(FrameEncryption.UNREAD);
        this.spot = volume.spot().orElseThrow(() -> new Refusal(Reason.INVALID,
                "volume '%s' has one store: there is nothing to choose, and nothing to heal from"
                        .formatted(volume.spec().name()), StoreAssignment.toAddStores()));
    }

    Volume volume() {
        return volume;
    }

    PlacedBlocks spot() {
        return spot;
    }

    void limit(Bandwidth bandwidth) {
        limit = Optional.of(bandwidth);
    }

    void failed(IOException why) {
        watcher.failed(why);
    }

    void heed() throws InterruptedIOException {
        if (watcher.cancelled()) {
            throw new InterruptedIOException("stopped; run it again to go on");
        }
    }

    void step(BlockRow row) throws IOException {
        heed();
        if (limit.isPresent()) {
            limit.get().send(row.storedSize());
        }
        watcher.looked(row.storedSize());
    }

    Arrangement arrangement(BlockRow row) throws IOException {
        return spot.store().repair().arrangementOf(row.layout());
    }

    Check check(BlockRow row) throws IOException {
        var identity = new BlockIdentity(volume.spec().id(), row.id());
        var index = FrameIndex.parse(row.index());
        return stored -> codec.isRight(identity, index, stored);
    }

    /** Every block that can be read, page by page. */
    Iterable<BlockRow> rows() {
        return () -> new BlockRows(spot.rows());
    }

    /** The files that use a block, as far as their names are known. */
    List<String> files(BlockRow row) throws IOException {
        var paths = new InodePaths(volume.engine());
        var names = new ArrayList<String>();
        var users = row.owner() != 0 && paths.path(row.owner()).isPresent() ? List.of(row.owner())
                : paths.users(row.id(), FILES_TOLD);
        for (long ino : users) {
            names.add(volume.spec().name() + ":" + paths.path(ino).orElse(" inode " + ino + ", which has no name"));
        }
        names.sort(Comparator.naturalOrder());
        return names.isEmpty() ? List.of("block %016x, which only history names".formatted(row.id())) : names;
    }

    /** The blocks of a file, in its order. */
    List<Used> blocks(long ino) throws IOException {
        var found = new ArrayList<Used>();
        var seen = new TreeSet<Long>();
        long size = volume.vfs().attributes(ino).size();
        for (long at = 0; at < size; ) {
            var content = volume.vfs().content(ino, at, size);
            for (var extent : content.extents()) {
                if (!ImportedBlock.is(extent.block()) && seen.add(extent.block())) {
                    found.add(new Used(extent.start(), content.block(extent)));
                }
            }
            at = content.complete() || content.extents().isEmpty() ? size : content.extents().getLast().end();
        }
        return found;
    }

    /** Has the block a part in this store? */
    boolean isMeant(BlockRow row, int store) throws IOException {
        return arrangement(row).parts(row.id()).stream().anyMatch(part -> part.store() == store);
    }

    /** What mending a block takes: its parts as they are and as they should be, and the block itself. */
    long memory(BlockRow row) throws IOException {
        var objects = spot.store().repair().objects(row.id(), new Located(row.layout(), row.storedSize()));
        return row.storedSize() + 2 * objects.values().stream().mapToLong(Long::longValue).sum();
    }

    /**
     * Where a block lies that shares an object with others, from when the volume had one store: nothing can be made
     * anew from elsewhere.
     */
    Optional<Packs.Place> place(BlockRow row) throws IOException {
        return volume.packed().packs().find(row.id());
    }

    Condition condition(BlockRow row, Packs.Place place) {
        try {
            return check(row).isRight(volume.packed().read(place)) ? Condition.RIGHT : Condition.DAMAGED;
        } catch (NoSuchBlockException none) {
            return Condition.MISSING;
        } catch (IOException away) {
            return Condition.UNKNOWN;
        }
    }

    @Override
    public void close() {
        codec.close();
    }
}
