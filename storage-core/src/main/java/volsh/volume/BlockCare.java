package volsh.volume;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import volsh.block.Bandwidth;
import volsh.catalog.Log;
import volsh.catalog.Refusal;
import volsh.fs.BlockRow;
import volsh.place.BlockRepair;
import volsh.place.BlockRepair.Condition;
import volsh.place.LayoutPolicy;

/**
 * Heals, scrubs and moves the blocks of an open volume with several stores. Everything can be stopped and run again;
 * it then continues. Readers and writers are not stopped.
 */
public final class BlockCare implements AutoCloseable {
    private final BlockRound round;
    private final BlockMending mending;
    private final BlockMoving moving;

    /** Follows the progress, and may stop it. */
    public interface Watcher {
        Watcher NONE = new Watcher() {};

        /** One more block was looked at, with this number of stored bytes. */
        default void looked(long bytes) {}

        /** A part of a block could not be made anew. */
        default void failed(IOException why) {}

        default boolean cancelled() {
            return false;
        }
    }

    /** @throws Refusal INVALID if the volume has one store */
    public BlockCare(Volume volume, Watcher watcher) throws Refusal {
        this.round = new BlockRound(volume, watcher);
        this.mending = new BlockMending(round);
        this.moving = new BlockMoving(round);
    }

    /** Reads no faster than this from now on. */
    public void limit(Bandwidth bandwidth) {
        round.limit(bandwidth);
    }

    /**
     * What came of it.
     *
     * @param blocks   looked at
     * @param bytes    stored bytes of these
     * @param missing  parts that were not in their stores
     * @param damaged  parts that were not right
     * @param repaired parts made anew
     * @param unknown  parts whose stores do not answer
     * @param lost     files with blocks that cannot be read, a few of them
     */
    public record Report(long blocks, long bytes, long missing, long damaged, long repaired, long unknown,
            List<String> lost) {
        public static final Report NOTHING = new Report(0, 0, 0, 0, 0, 0, List.of());

        /** Whether every part of every block is right now. */
        public boolean isClean() {
            return lost.isEmpty() && unknown == 0 && missing + damaged == repaired;
        }

        static Report of(BlockRow row, BlockRepair.Findings found, int repaired, List<String> lost) {
            return new Report(1, row.storedSize(), found.count(Condition.MISSING), found.count(Condition.DAMAGED),
                    repaired, found.count(Condition.UNKNOWN), lost);
        }

        Report plus(Report more) {
            var all = new TreeSet<>(lost);
            all.addAll(more.lost);
            return new Report(blocks + more.blocks, bytes + more.bytes, missing + more.missing, damaged + more.damaged,
                    repaired + more.repaired, unknown + more.unknown,
                    all.stream().limit(BlockRound.FILES_TOLD).toList());
        }
    }

    // ---- healing

    /**
     * Makes anew what is on the list of what is missing, and all that these stores had: they were wiped, and the caller
     * knows that they are not just the empty place where a disk should be mounted. Others without a mark are left
     * alone.
     */
    public Report heal(Set<String> wiped) throws IOException {
        return mending.heal(wiped);
    }

    /** Makes anew what is on the list of what is missing, as far as stores answer. */
    public Report healListed() throws IOException {
        return mending.healListed();
    }

    /**
     * Looks at every block: whether its parts are there or, {@code deep}, whether every byte is right; and repairs if
     * asked to.
     */
    public Report scrub(boolean deep, boolean repairs) throws IOException {
        return mending.scrub(deep, repairs);
    }

    /**
     * What the blocks of some files would survive.
     *
     * @param single  blocks of which no store may be lost
     * @param lacking blocks with parts that are not in their stores and cannot be made anew now
     */
    public record Redundancy(long blocks, long single, long lacking) {
        /** May any one store be lost with nothing lost? */
        public boolean isFull() {
            return single == 0 && lacking == 0;
        }
    }

    /** Looks whether all parts of the blocks of these files are in their stores, and makes anew what is missing. */
    public Redundancy redundancy(List<Long> inodes) throws IOException {
        return mending.redundancy(inodes);
    }

    // ---- moving

    /** Moves the blocks of a file to where its layout wants them; how many were. */
    public long migrate(long ino) throws IOException {
        return migrate(files -> files.file(ino));
    }

    /** Is told of files, one after the other. */
    public interface Files {
        void file(long ino) throws IOException;
    }

    /** Tells of files. */
    public interface Told {
        void tell(Files files) throws IOException;
    }

    /** Moves the blocks of all these files to where their layouts want them; how many were. */
    public long migrate(Told told) throws IOException {
        return moving.migrate(told);
    }

    /** Does this file or directory say so itself, not the volume? */
    public boolean hasPolicy(long ino, LayoutPolicy policy) throws IOException {
        int number = round.spot().rows().ofInode(ino);
        return number != 0 && round.spot().store().repair().policy(number).equals(policy);
    }

    /** What is written to this file, or made in this directory, gets this policy from now on. */
    public void setPolicy(long ino, LayoutPolicy policy) throws IOException {
        round.volume().vfs().setLayout(ino, round.spot().store().repair().numberOf(policy));
    }

    /** Is a block where this policy wants it? Files that share a block ask for the same place. */
    public boolean isAt(Used used, long ino, LayoutPolicy policy) throws IOException {
        return moving.isAt(used, ino, policy);
    }

    /** Moves a block that a file uses to where this policy wants it; false if it is there already, or gone. */
    public boolean move(Used used, long ino, LayoutPolicy policy) throws IOException {
        return moving.move(used, ino, policy);
    }

    /**
     * Moves all blocks to where they would be written now: over stores that were added, and away from those that leave.
     */
    public long rebalance() throws IOException {
        return moving.rebalance();
    }

    /**
     * Moves every block away that has a part in this store; how many were. Blocks written meanwhile may be left: call
     * again until none is.
     */
    public long drain(int store) throws IOException {
        return moving.drain(store);
    }

    /** A block of a file, and the offset in the file at which it is first used. */
    public record Used(long offset, BlockRow row) {}

    /** The blocks of a file, in its order. */
    public List<Used> blocks(long ino) throws IOException {
        return round.blocks(ino);
    }

    /** What cannot be deleted now stays, and does no harm: volsh volume gc finds it. */
    @Override
    public void close() {
        try (round) {
            moving.clear();
        } catch (IOException left) {
            Log.LOG.log(Level.WARNING,
                    "%d blocks of volume '%s' still have copies in their old places: volsh volume gc deletes them"
                    .formatted(moving.uncleared(), round.volume().spec().name()), left);
        }
    }
}
