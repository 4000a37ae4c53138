package volsh.volume;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;
import volsh.block.Bandwidth;
import volsh.block.NoSuchBlockException;
import volsh.codec.BlockCodec;
import volsh.codec.BlockIdentity;
import volsh.codec.FrameIndex;
import volsh.fs.BlockRow;
import volsh.meta.InodePaths;
import volsh.meta.Packs;
import volsh.meta.PlaceRows;
import volsh.place.Arrangement;
import volsh.place.Layout;
import volsh.place.Ledger.Located;
import volsh.place.Member;
import volsh.place.Placement.Check;
import volsh.place.Policy;
import volsh.place.Repair;
import volsh.place.Repair.Condition;
import volsh.volume.Refusal.Reason;

/**
 * Puts right, looks through and moves the blocks of an open volume with several stores. Everything can be stopped and run again; it
 * then goes on with what is left. Readers and writers go on all the while.
 */
public final class BlockCare implements AutoCloseable {
    private static final int FILES_TOLD = 20;
    /** So many blocks may be in their old places as well: each time that has to be safe before those are cleared. */
    private static final int MOVED_MAX = 100;

    /** So many blocks are asked for at a time whether their parts are there. */
    private static final int GLANCES = 16;
    /** So many blocks of a wiped store are put on the list together. */
    private static final int LISTED_AT_ONCE = 400;

    private static final int FIRST = 1;

    private final Volume volume;
    private final Spot spot;
    private final Watcher watcher;
    private final BlockCodec codec = new BlockCodec();
    private final List<Repair.Moved> moved = Collections.synchronizedList(new ArrayList<>());
    private Optional<Bandwidth> limit = Optional.empty();

    /** Who watches, and may stop it. */
    public interface Watcher {
        Watcher NONE = new Watcher() {};

        /** One more block of so many stored bytes was looked at. */
        default void looked(long bytes) {}

        default boolean cancelled() {
            return false;
        }
    }

    /** @throws Refusal INVALID if the volume has one store */
    public BlockCare(Volume volume, Watcher watcher) throws Refusal {
        this.volume = volume;
        this.watcher = watcher;
        this.spot = volume.spot().orElseThrow(() -> new Refusal(Reason.INVALID,
                "volume '%s' has one store: there is nothing to choose, and nothing to heal from".formatted(volume.spec().name()),
                "volsh stripe rebalance %s --add STORE".formatted(volume.spec().name())));
    }

    /** Reads no faster than this from now on. */
    public void limit(Bandwidth bandwidth) {
        limit = Optional.of(bandwidth);
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
    public record Report(long blocks, long bytes, long missing, long damaged, long repaired, long unknown, List<String> lost) {
        public static final Report NOTHING = new Report(0, 0, 0, 0, 0, 0, List.of());

        /** Whether every part of every block is right now. */
        public boolean isClean() {
            return lost.isEmpty() && unknown == 0 && missing + damaged == repaired;
        }

        static Report of(BlockRow row, Repair.Findings found, int repaired, List<String> lost) {
            return new Report(1, row.storedSize(), found.count(Condition.MISSING), found.count(Condition.DAMAGED), repaired,
                    found.count(Condition.UNKNOWN), lost);
        }

        Report plus(Report more) {
            var all = new TreeSet<>(lost);
            all.addAll(more.lost);
            return new Report(blocks + more.blocks, bytes + more.bytes, missing + more.missing, damaged + more.damaged,
                    repaired + more.repaired, unknown + more.unknown, all.stream().limit(FILES_TOLD).toList());
        }
    }

    /** Several blocks at once, and what comes of them, added up. */
    private final class Course implements AutoCloseable {
        private final Lanes lanes = new Lanes(spot.store()::isAwaited, new Width());
        private final Set<Long> underWay = ConcurrentHashMap.newKeySet();
        private Report report = Report.NOTHING;

        interface Work {
            Report run() throws IOException;
        }

        /** Does this with a block, unless something is done with it already. */
        void add(BlockRow row, long memory, Work work) throws IOException {
            if (underWay.add(row.id())) {
                step(row);
                lanes.add(row.storedSize(), memory, () -> {
                    try {
                        tell(work.run());
                    } finally {
                        underWay.remove(row.id());
                    }
                });
            }
        }

        synchronized void tell(Report more) {
            report = report.plus(more);
        }

        Report finish() throws IOException {
            lanes.finish();
            return report;
        }

        @Override
        public void close() {
            lanes.close();
        }
    }

    // ---- healing

    /**
     * Makes anew what is on the list of what is missing, and all that these stores had: they were wiped, and whoever asks knows that they
     * are not just the empty place where a disk should be mounted. Others without a mark are left alone.
     */
    public Report heal(Set<String> wiped) throws IOException {
        for (var member : spot.store().members().all()) {
            refill(member, wiped.contains(member.name()));
        }
        return healListed();
    }

    /** Makes anew what is on the list of what is missing, as far as stores answer. */
    public Report healListed() throws IOException {
        try (var course = new Course()) {
            PlaceRows.Missing last = null;
            for (var page = spot.rows().missing(last); !page.isEmpty(); page = spot.rows().missing(last)) {
                for (var each : page) {
                    heal(each, course);
                    last = each;
                }
            }
            return course.finish();
        }
    }

    /** A store that was wiped is marked again, and everything it should have is on the list. */
    private void refill(Member member, boolean wiped) throws IOException {
        try {
            Ownership.require(member.store(), volume.spec(), member.name());
        } catch (Refusal refused) {
            if (refused.reason() == Reason.CONFLICT) {
                throw refused;
            }
            if (!wiped) {
                return;   // it may be a mount point without its disk
            }
            Ownership.claim(member.store(), volume.spec());
            spot.marks().renew();
            listAll(member.number());
        } catch (IOException away) {
            return;   // what it lacks stays on the list
        }
        member.readmit();
    }

    private void listAll(int store) throws IOException {
        var some = new ArrayList<Long>();
        for (var row : rows()) {
            if (isMeant(row, store)) {
                some.add(row.id());
            }
            if (some.size() == LISTED_AT_ONCE) {
                spot.rows().missing(store, some);
                some.clear();
            }
        }
        spot.rows().missing(store, some);
    }

    private boolean isMeant(BlockRow row, int store) throws IOException {
        return arrangement(row).parts(row.id()).stream().anyMatch(part -> part.store() == store);
    }

    private void heal(PlaceRows.Missing missing, Course course) throws IOException {
        var row = spot.rows().alive(missing.block());
        if (row.isEmpty()) {
            spot.rows().dismiss(missing, OptionalInt.empty());   // gone, or not written down yet
        } else if (!isMeant(row.get(), missing.store())) {
            spot.rows().dismiss(missing, OptionalInt.of(row.get().layout()));   // elsewhere by now
        } else if (isAway(missing.store())) {   // nothing is read in vain
            course.tell(new Report(1, row.get().storedSize(), 0, 0, 0, 1, List.of()));
        } else if (spot.rows().isMissing(missing.block(), List.of(missing.store()))) {   // a page ago it was
            course.add(row.get(), memory(row.get()), () -> mend(row.get()));
        }
    }

    private boolean isAway(int store) throws IOException {
        var member = spot.store().members().of(store);
        return member.health().isAway() || member.isOverdue();
    }

    /** What mending a block takes: its parts as they are and as they should be, and the block itself. */
    private long memory(BlockRow row) throws IOException {
        var objects = spot.store().repair().objects(row.id(), new Located(row.layout(), row.storedSize()));
        return row.storedSize() + 2 * objects.values().stream().mapToLong(Long::longValue).sum();
    }

    private Report mend(BlockRow row) throws IOException {
        var place = place(row);
        if (place.isPresent()) {
            return look(row, place.get());
        }
        Repair.Mended mended;
        try {
            mended = spot.store().repair().mend(row.id(), check(row));
        } catch (IOException failed) {
            if (spot.rows().alive(row.id()).isEmpty()) {
                return Report.NOTHING;   // deleted meanwhile
            }
            throw failed;
        }
        if (!mended.isRight()) {
            var now = spot.rows().alive(row.id());
            if (now.isEmpty() || now.get().layout() != row.layout()) {
                return now.isEmpty() ? Report.NOTHING : mend(now.get());   // deleted or moved meanwhile
            }
        }
        return Report.of(row, mended.found(), mended.repaired(), mended.isRight() ? List.of() : files(row));
    }

    /** Looks at every block: whether its parts are there or, {@code deep}, whether every byte is right; and repairs if asked to. */
    public Report scrub(boolean deep, boolean repairs) throws IOException {
        try (var course = new Course()) {
            for (var row : rows()) {
                course.add(row, memory(row), () -> deep && repairs ? mend(row) : glance(row, deep, repairs));
            }
            return course.finish();
        }
    }

    private Report glance(BlockRow row, boolean deep, boolean repairs) throws IOException {
        var place = place(row);
        if (place.isPresent()) {
            return look(row, place.get());
        }
        var repair = spot.store().repair();
        var found = deep ? repair.examine(row.id(), check(row)) : repair.glance(row.id(), new Located(row.layout(), row.storedSize()));
        if (spot.rows().alive(row.id()).isEmpty()) {
            return Report.NOTHING;   // deleted meanwhile
        }
        if (repairs && !found.isWhole() && found.isRight()) {
            return mend(row);
        }
        var lacking = found.stores(Condition.MISSING, Condition.DAMAGED);
        spot.rows().missing(row.id(), lacking);
        return Report.of(row, found, 0, found.isRight() ? List.of() : files(row));
    }

    // ---- packs

    /** Where a block lies that shares an object with others, from when the volume had one store: nothing can be made anew from elsewhere. */
    private Optional<Packs.Place> place(BlockRow row) throws IOException {
        return volume.packed().packs().find(row.id());
    }

    private Report look(BlockRow row, Packs.Place place) throws IOException {
        var condition = condition(row, place);
        if (condition != Condition.RIGHT && (spot.rows().alive(row.id()).isEmpty() || !place(row).equals(Optional.of(place)))) {
            return Report.NOTHING;   // deleted or moved meanwhile
        }
        if (condition == Condition.RIGHT) {
            spot.rows().found(row.id(), List.of(FIRST));
        }
        var found = new Repair.Findings(arrangement(row).parts(row.id()), List.of(condition), condition == Condition.RIGHT);
        return Report.of(row, found, 0, condition == Condition.MISSING || condition == Condition.DAMAGED ? files(row) : List.of());
    }

    private Condition condition(BlockRow row, Packs.Place place) {
        try {
            return check(row).isRight(volume.packed().read(place)) ? Condition.RIGHT : Condition.DAMAGED;
        } catch (NoSuchBlockException none) {
            return Condition.MISSING;
        } catch (IOException away) {
            return Condition.UNKNOWN;
        }
    }

    /** Takes a block out of the pack it shares, and puts it where this arrangement wants it. A pack goes with its last block. */
    private boolean unpack(BlockRow row, Packs.Place place, Arrangement wanted) throws IOException {
        ByteBuffer stored = volume.packed().read(place);
        if (!check(row).isRight(stored.duplicate())) {
            throw new IOException("block %016x cannot be read: it is damaged, in pack %016x".formatted(row.id(), place.pack()));
        }
        var packs = volume.packed().packs();
        boolean done = spot.store().repair().lay(row.id(), stored, wanted, (_, to) -> packs.release(row.id(), place, to));
        for (long pack : packs.empty(List.of(place.pack()))) {
            volume.settle();
            volume.packed().drop(pack);
        }
        return done;
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
        try (var moving = new Moving()) {
            told.tell(ino -> {
                int policy = spot.rows().ofInode(ino);
                for (var block : blocks(ino)) {
                    moving.add(block.row(), spot.store().repair().wanted(policy, ino, block.offset(), block.row().storedSize()));
                }
            });
            return moving.finish();
        }
    }

    /** Does this file or directory say so itself, not the volume? */
    public boolean hasPolicy(long ino, Policy policy) throws IOException {
        int number = spot.rows().ofInode(ino);
        return number != 0 && spot.store().repair().policy(number).equals(policy);
    }

    /** What is written to this file, or made in this directory, gets this policy from now on. */
    public void setPolicy(long ino, Policy policy) throws IOException {
        volume.vfs().setLayout(ino, spot.store().repair().numberOf(policy));
    }

    /** Is a block where this policy wants it? Files that share it ask the same, whoever asks. */
    public boolean isAt(Used used, long ino, Policy policy) throws IOException {
        return arrangement(used.row()).equals(wanted(used, ino, policy));
    }

    /** Moves a block that a file uses to where this policy wants it; false if it is there already, or gone. */
    public boolean move(Used used, long ino, Policy policy) throws IOException {
        return move(used.row(), wanted(used, ino, policy));
    }

    private Arrangement wanted(Used used, long ino, Policy policy) throws IOException {
        var row = used.row();
        return spot.store().repair().wanted(policy, row.owner() == 0 ? ino : row.owner(), used.offset(), row.storedSize());
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
        var rows = new LinkedHashMap<Long, BlockRow>();
        for (long ino : inodes) {
            blocks(ino).forEach(used -> rows.putIfAbsent(used.row().id(), used.row()));
        }
        long single = 0;
        for (var row : rows.values()) {
            single += arrangement(row).layout().losses() == 0 ? 1 : 0;
        }
        long lacking = 0;
        for (var row : incomplete(List.copyOf(rows.values()))) {
            lacking += isMended(row) ? 0 : 1;
        }
        return new Redundancy(rows.size(), single, lacking);
    }

    /** Those with parts that are not in their stores. Distant stores take as long to answer for one as for many at a time. */
    private List<BlockRow> incomplete(List<BlockRow> rows) throws IOException {
        var repair = spot.store().repair();
        var found = new ArrayList<BlockRow>();
        var asked = new ArrayList<Future<Boolean>>();
        var threads = Executors.newFixedThreadPool(GLANCES, Thread.ofPlatform().daemon().name("glance-", 0).factory());
        try {
            for (var row : rows) {
                asked.add(place(row).isPresent() ? CompletableFuture.completedFuture(false)
                        : threads.submit(() -> repair.glance(row.id(), new Located(row.layout(), row.storedSize())).isWhole()));
            }
            for (int i = 0; i < rows.size(); i++) {
                step(rows.get(i));
                if (!answer(asked.get(i))) {
                    found.add(rows.get(i));
                }
            }
            return found;
        } finally {
            threads.shutdownNow();
        }
    }

    private static boolean answer(Future<Boolean> asked) throws IOException {
        try {
            return asked.get();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("stopped; run it again to go on");
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof IOException known ? known : new IOException(failed.getCause());
        }
    }

    private boolean isMended(BlockRow row) throws IOException {
        var place = place(row);
        if (place.isPresent()) {
            return condition(row, place.get()) == Condition.RIGHT;
        }
        var mended = spot.store().repair().mend(row.id(), check(row));
        return mended.isRight() && mended.found().count(Condition.UNKNOWN) == 0
                && mended.repaired() == mended.found().count(Condition.MISSING) + mended.found().count(Condition.DAMAGED);
    }

    /** A block of a file, and the offset in the file at which it is first used. */
    public record Used(long offset, BlockRow row) {}

    /** The blocks of a file, in its order. */
    public List<Used> blocks(long ino) throws IOException {
        var found = new ArrayList<Used>();
        var seen = new TreeSet<Long>();
        long size = volume.vfs().attributes(ino).size();
        for (long at = 0; at < size; ) {
            var content = volume.vfs().content(ino, at, size);
            for (var extent : content.extents()) {
                if (seen.add(extent.block())) {
                    found.add(new Used(extent.start(), content.blocks().get(extent.block())));
                }
            }
            at = content.complete() || content.extents().isEmpty() ? size : content.extents().getLast().end();
        }
        return found;
    }

    /** Moves all blocks to where they would be written now: over stores that were added, and away from those that leave. */
    public long rebalance() throws IOException {
        try (var moving = new Moving()) {
            for (var row : rows()) {
                moving.add(row, wanted(row));
            }
            long count = moving.finish();
            clear();
            return count;
        }
    }

    /** Moves every block away that has a part in this store; how many were. Blocks written meanwhile may be left: call again until none is. */
    public long drain(int store) throws IOException {
        try (var moving = new Moving()) {
            for (var row : rows()) {
                if (isMeant(row, store)) {
                    moving.add(row, wanted(row));
                }
            }
            long count = moving.finish();
            clear();
            return count;
        }
    }

    /** Several blocks on their way at once; those that share an object with others one after the other. */
    private final class Moving implements AutoCloseable {
        private final Lanes lanes = new Lanes(spot.store()::isAwaited, new Width());
        private final Set<Long> underWay = ConcurrentHashMap.newKeySet();
        private final LongAdder count = new LongAdder();

        void add(BlockRow row, Arrangement wanted) throws IOException {
            if (place(row).isPresent()) {
                count.add(move(row, wanted) ? 1 : 0);
                return;
            }
            heed();
            if (arrangement(row).equals(wanted)) {
                return;
            }
            if (!underWay.add(row.id())) {   // another file has it, too, and may want it elsewhere
                lanes.finish();
                underWay.add(row.id());
            }
            step(row);
            lanes.add(row.storedSize(), memory(row), () -> {
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
        var layout = arrangement(row).layout();
        return repair.wanted(layout instanceof Layout.Striped ? new Layout.Striped(Layout.Striped.ALL) : layout, 0, row.storedSize());
    }

    private boolean move(BlockRow row, Arrangement wanted) throws IOException {
        var place = place(row);
        if (place.isEmpty() && arrangement(row).equals(wanted)) {
            heed();
            return false;   // what is in its place costs nothing, whatever the limit
        }
        step(row);
        if (place.isPresent()) {
            return unpack(row, place.get(), wanted);
        }
        boolean done = carry(row, wanted);
        clearMany();
        return done;
    }

    private boolean carry(BlockRow row, Arrangement wanted) throws IOException {
        try {
            var done = spot.store().repair().move(row.id(), wanted, check(row), (from, to) -> spot.rows().relocate(row.id(), from, to));
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
     * Deletes what moved blocks have left in their old places. That they have moved has to survive power loss first and, where metadata is
     * shipped, the loss of this host: else rows could come back that name the old places.
     */
    private void clear() throws IOException {
        int count = moved.size();   // others may come behind these meanwhile
        if (count > 0) {
            volume.settle();
            for (int i = 0; i < count; i++) {
                spot.store().repair().clear(moved.get(i));
            }
            moved.subList(0, count).clear();
        }
    }

    // ---- what all need

    private void heed() throws InterruptedIOException {
        if (watcher.cancelled()) {
            throw new InterruptedIOException("stopped; run it again to go on");
        }
    }

    private void step(BlockRow row) throws IOException {
        heed();
        if (limit.isPresent()) {
            limit.get().send(row.storedSize());
        }
        watcher.looked(row.storedSize());
    }

    private Arrangement arrangement(BlockRow row) throws IOException {
        return spot.store().repair().arrangementOf(row.layout());
    }

    private Check check(BlockRow row) throws IOException {
        var identity = new BlockIdentity(volume.spec().id(), row.id());
        var index = FrameIndex.parse(row.index());
        return stored -> codec.isRight(identity, index, stored);
    }

    /** Every block that somebody can read, page by page. */
    private Iterable<BlockRow> rows() {
        return () -> new BlockRows(spot.rows());
    }

    /** The files that use a block, as far as their names are known. */
    private List<String> files(BlockRow row) throws IOException {
        var paths = new InodePaths(volume.engine());
        var names = new ArrayList<String>();
        var users = row.owner() != 0 && paths.path(row.owner()).isPresent() ? List.of(row.owner()) : paths.users(row.id(), FILES_TOLD);
        for (long ino : users) {
            names.add(volume.spec().name() + ":" + paths.path(ino).orElse(" inode " + ino + ", which has no name"));
        }
        names.sort(Comparator.naturalOrder());
        return names.isEmpty() ? List.of("block %016x, which only history names".formatted(row.id())) : names;
    }

    /** What cannot be deleted now stays, and harms nobody: volsh volume gc finds it. */
    @Override
    public void close() {
        try (codec) {
            clear();
        } catch (IOException left) {
            Log.LOG.log(Level.WARNING, "%d blocks of volume '%s' are in their old places as well: volsh volume gc deletes what is left there"
                    .formatted(moved.size(), volume.spec().name()), left);
        }
    }
}
