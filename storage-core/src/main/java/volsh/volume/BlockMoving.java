package volsh.volume;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import volsh.assembly.PlacedBlocks;
import volsh.care.AdaptiveConcurrency;
import volsh.care.BlockWorkers;
import volsh.fs.BlockRow;
import volsh.inventory.Packs;
import volsh.place.Arrangement;
import volsh.place.BlockRepair;
import volsh.place.Layout;
import volsh.place.LayoutPolicy;
import volsh.volume.BlockCare.Told;
import volsh.volume.BlockCare.Used;

/** Moves blocks to where their layouts want them. They can be read all the while. */
final class BlockMoving {
    /**
     * The number of blocks that may also be in their old places: their moves are made durable before those are cleared.
     */
    private static final int MOVED_MAX = 100;

    private final BlockRound round;
    private final Volume volume;
    private final PlacedBlocks spot;
    private final List<BlockRepair.Moved> moved = Collections.synchronizedList(new ArrayList<>());

    BlockMoving(BlockRound round) {
        this.round = round;
        this.volume = round.volume();
        this.spot = round.spot();
    }

    /** Moves the blocks of all these files to where their layouts want them; how many were. */
    long migrate(Told told) throws IOException {
        try (var moving = new Traffic()) {
            told.tell(ino -> {
                int policy = spot.rows().ofInode(ino);
                for (var block : round.blocks(ino)) {
                    moving.add(block.row(),
                            spot.store().repair().wanted(policy, ino, block.offset(), block.row().storedSize()));
                }
            });
            return moving.finish();
        }
    }

    /** Is a block where this policy wants it? Files that share a block ask for the same place. */
    boolean isAt(Used used, long ino, LayoutPolicy policy) throws IOException {
        return round.arrangement(used.row()).equals(wanted(used, ino, policy));
    }

    /** Moves a block that a file uses to where this policy wants it; false if it is there already, or gone. */
    boolean move(Used used, long ino, LayoutPolicy policy) throws IOException {
        return move(used.row(), wanted(used, ino, policy));
    }

    private Arrangement wanted(Used used, long ino, LayoutPolicy policy) throws IOException {
        var row = used.row();
        return spot.store().repair().wanted(policy, row.owner() == 0 ? ino : row.owner(), used.offset(),
                row.storedSize());
    }

    /**
     * Takes a block out of the pack it shares, and puts it where this arrangement wants it. A pack goes with its last
     * block.
     */
    private boolean unpack(BlockRow row, Packs.Place place, Arrangement wanted) throws IOException {
        ByteBuffer stored = volume.packed().read(place);
        if (!round.check(row).isRight(stored.duplicate())) {
            throw new IOException("block %016x cannot be read: it is damaged, in pack %016x"
                    .formatted(row.id(), place.pack()));
        }
        var packs = volume.packed().packs();
        boolean done = spot.store().repair()
                .lay(row.id(), stored, wanted, (_, to) -> packs.release(row.id(), place, to));
        for (long pack : packs.empty(List.of(place.pack()))) {
            volume.settle();
            volume.packed().drop(List.of(pack));
        }
        return done;
    }

    /**
     * Moves all blocks to where they would be written now: over stores that were added, and away from those that leave.
     */
    long rebalance() throws IOException {
        try (var moving = new Traffic()) {
            for (var row : round.rows()) {
                moving.add(row, wanted(row));
            }
            long count = moving.finish();
            clear();
            return count;
        }
    }

    /**
     * Moves every block away that has a part in this store; how many were. Blocks written meanwhile may be left: call
     * again until none is.
     */
    long drain(int store) throws IOException {
        try (var moving = new Traffic()) {
            for (var row : round.rows()) {
                if (round.isMeant(row, store)) {
                    moving.add(row, wanted(row));
                }
            }
            long count = moving.finish();
            clear();
            return count;
        }
    }

    /** Several blocks on their way at once; those that share an object with others one after the other. */
    private final class Traffic implements AutoCloseable {
        private final BlockWorkers lanes = new BlockWorkers(spot.store()::isAwaited, new AdaptiveConcurrency());
        private final Set<Long> underWay = ConcurrentHashMap.newKeySet();
        private final LongAdder count = new LongAdder();

        void add(BlockRow row, Arrangement wanted) throws IOException {
            if (round.place(row).isPresent()) {
                count.add(move(row, wanted) ? 1 : 0);
                return;
            }
            round.heed();
            if (round.arrangement(row).equals(wanted)) {
                return;
            }
            if (!underWay.add(row.id())) {   // another file has it, too, and may want it elsewhere
                lanes.finish();
                underWay.add(row.id());
            }
            round.step(row);
            lanes.add(row.storedSize(), round.memory(row), () -> {
                try {
                    count.add(carry(row, wanted) ? 1 : 0);
                } finally {
                    underWay.remove(row.id());
                }
            });
            clearMany();
        }

        long finish() throws IOException {
            lanes.finish();
            return count.sum();
        }

        @Override
        public void close() {
            lanes.close();
        }
    }

    private Arrangement wanted(BlockRow row) throws IOException {
        var repair = spot.store().repair();
        if (row.owner() != 0) {
            return repair.wanted(spot.rows().ofInode(row.owner()), row.owner(), 0, row.storedSize());
        }
        var layout = round.arrangement(row).layout();
        return repair.wanted(layout instanceof Layout.Striped ? new Layout.Striped(Layout.Striped.ALL) : layout, 0,
                row.storedSize());
    }

    private boolean move(BlockRow row, Arrangement wanted) throws IOException {
        var place = round.place(row);
        if (place.isEmpty() && round.arrangement(row).equals(wanted)) {
            round.heed();
            return false;   // what is in its place costs nothing, whatever the limit
        }
        round.step(row);
        if (place.isPresent()) {
            return unpack(row, place.get(), wanted);
        }
        boolean done = carry(row, wanted);
        clearMany();
        return done;
    }

    private boolean carry(BlockRow row, Arrangement wanted) throws IOException {
        try {
            var done = spot.store().repair()
                    .move(row.id(), wanted, round.check(row), (from, to) -> spot.rows().relocate(row.id(), from, to));
            done.ifPresent(moved::add);
            return done.isPresent();
        } catch (IOException failed) {
            if (spot.rows().alive(row.id()).isEmpty()) {
                return false;   // deleted meanwhile
            }
            throw failed;
        }
    }

    private void clearMany() throws IOException {
        if (moved.size() >= MOVED_MAX) {
            clear();
        }
    }

    /**
     * Deletes what moved blocks have left in their old places. That they have moved has to survive power loss first
     * and, where metadata is shipped, the loss of this host: else rows could come back that name the old places.
     */
    void clear() throws IOException {
        int count = moved.size();   // others may come behind these meanwhile
        if (count > 0) {
            volume.settle();
            for (int i = 0; i < count; i++) {
                spot.store().repair().clear(moved.get(i));
            }
            moved.subList(0, count).clear();
        }
    }

    /** How many blocks are in their old places as well. */
    int uncleared() {
        return moved.size();
    }
}
