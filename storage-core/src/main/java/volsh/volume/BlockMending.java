package volsh.volume;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import volsh.assembly.PlacedBlocks;
import volsh.care.AdaptiveConcurrency;
import volsh.care.BlockWorkers;
import volsh.catalog.Ownership;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.fs.BlockRow;
import volsh.inventory.Packs;
import volsh.inventory.PlaceRows;
import volsh.place.BlockRepair;
import volsh.place.BlockRepair.Condition;
import volsh.place.Member;
import volsh.place.PlacementRecords.Located;
import volsh.volume.BlockCare.Redundancy;
import volsh.volume.BlockCare.Report;

/** Makes the parts of blocks that stores lack, and checks that all parts are right. */
final class BlockMending {
    /** The number of blocks whose parts are looked for at a time. */
    private static final int GLANCES = 16;
    /** The number of blocks of a wiped store that are put on the list together. */
    private static final int LISTED_AT_ONCE = 400;
    /** The store that packs are in. */
    private static final int FIRST = 1;

    private final BlockRound round;
    private final Volume volume;
    private final PlacedBlocks spot;

    BlockMending(BlockRound round) {
        this.round = round;
        this.volume = round.volume();
        this.spot = round.spot();
    }

    /** Several blocks at once, and what comes of them, added up. */
    private final class Course implements AutoCloseable {
        private final BlockWorkers lanes = new BlockWorkers(spot.store()::isAwaited, new AdaptiveConcurrency());
        private final Set<Long> underWay = ConcurrentHashMap.newKeySet();
        private Report report = Report.NOTHING;

        interface Work {
            Report run() throws IOException;
        }

        /** Does this with a block, unless something is done with it already. */
        void add(BlockRow row, long memory, Work work) throws IOException {
            if (underWay.add(row.id())) {
                round.step(row);
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

    /**
     * Makes anew what is on the list of what is missing, and all that these stores had: they were wiped, and the caller
     * knows that they are not just the empty place where a disk should be mounted. Others without a mark are left
     * alone.
     */
    Report heal(Set<String> wiped) throws IOException {
        for (var member : spot.store().members().all()) {
            refill(member, wiped.contains(member.name()));
        }
        return healListed();
    }

    /** Makes anew what is on the list of what is missing, as far as stores answer. */
    Report healListed() throws IOException {
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
            var marks = spot.marks().orElseThrow();
            marks.claim(member.name());
            marks.renew();
            listAll(member.number());
        } catch (IOException away) {
            return;   // what it lacks stays on the list
        }
        member.readmit();
    }

    private void listAll(int store) throws IOException {
        var some = new ArrayList<Long>();
        for (var row : round.rows()) {
            if (round.isMeant(row, store)) {
                some.add(row.id());
            }
            if (some.size() == LISTED_AT_ONCE) {
                spot.rows().missing(store, some);
                some.clear();
            }
        }
        spot.rows().missing(store, some);
    }

    private void heal(PlaceRows.Missing missing, Course course) throws IOException {
        var row = spot.rows().alive(missing.block());
        if (row.isEmpty()) {
            spot.rows().dismiss(missing, OptionalInt.empty());   // gone, or not written down yet
        } else if (!round.isMeant(row.get(), missing.store())) {
            spot.rows().dismiss(missing, OptionalInt.of(row.get().layout()));   // elsewhere by now
        } else if (isAway(missing.store())) {   // nothing is read in vain
            course.tell(new Report(1, row.get().storedSize(), 0, 0, 0, 1, List.of()));
        } else if (spot.rows().isMissing(missing.block(), List.of(missing.store()))) {   // a page ago it was
            course.add(row.get(), round.memory(row.get()), () -> mend(row.get()));
        }
    }

    private boolean isAway(int store) throws IOException {
        var member = spot.store().members().of(store);
        return member.health().isAway() || member.isOverdue();
    }

    private Report mend(BlockRow row) throws IOException {
        var place = round.place(row);
        if (place.isPresent()) {
            return look(row, place.get());
        }
        BlockRepair.Mended mended;
        try {
            mended = spot.store().repair().mend(row.id(), round.check(row));
        } catch (IOException failed) {
            if (spot.rows().alive(row.id()).isEmpty()) {
                return Report.NOTHING;   // deleted meanwhile
            }
            throw failed;
        }
        mended.failure().ifPresent(round::failed);
        if (!mended.isRight()) {
            var now = spot.rows().alive(row.id());
            if (now.isEmpty() || now.get().layout() != row.layout()) {
                return now.isEmpty() ? Report.NOTHING : mend(now.get());   // deleted or moved meanwhile
            }
        }
        return Report.of(row, mended.found(), mended.repaired(), mended.isRight() ? List.of() : round.files(row));
    }

    /**
     * Looks at every block: whether its parts are there or, {@code deep}, whether every byte is right; and repairs if
     * asked to.
     */
    Report scrub(boolean deep, boolean repairs) throws IOException {
        try (var course = new Course()) {
            for (var row : round.rows()) {
                course.add(row, round.memory(row), () -> deep && repairs ? mend(row) : glance(row, deep, repairs));
            }
            return course.finish();
        }
    }

    private Report glance(BlockRow row, boolean deep, boolean repairs) throws IOException {
        var place = round.place(row);
        if (place.isPresent()) {
            return look(row, place.get());
        }
        var repair = spot.store().repair();
        var found = deep ? repair.examine(row.id(), round.check(row))
                : repair.glance(row.id(), new Located(row.layout(), row.storedSize()));
        if (spot.rows().alive(row.id()).isEmpty()) {
            return Report.NOTHING;   // deleted meanwhile
        }
        if (repairs && !found.isWhole() && found.isRight()) {
            return mend(row);
        }
        var lacking = found.stores(Condition.MISSING, Condition.DAMAGED);
        spot.rows().missing(row.id(), lacking);
        return Report.of(row, found, 0, found.isRight() ? List.of() : round.files(row));
    }

    private Report look(BlockRow row, Packs.Place place) throws IOException {
        var condition = round.condition(row, place);
        if (condition != Condition.RIGHT
                && (spot.rows().alive(row.id()).isEmpty() || !round.place(row).equals(Optional.of(place)))) {
            return Report.NOTHING;   // deleted or moved meanwhile
        }
        if (condition == Condition.RIGHT) {
            spot.rows().found(row.id(), List.of(FIRST));
        }
        var found = new BlockRepair.Findings(round.arrangement(row).parts(row.id()), List.of(condition),
                condition == Condition.RIGHT);
        return Report.of(row, found, 0,
                condition == Condition.MISSING || condition == Condition.DAMAGED ? round.files(row) : List.of());
    }

    /** Looks whether all parts of the blocks of these files are in their stores, and makes anew what is missing. */
    Redundancy redundancy(List<Long> inodes) throws IOException {
        var rows = new LinkedHashMap<Long, BlockRow>();
        for (long ino : inodes) {
            round.blocks(ino).forEach(used -> rows.putIfAbsent(used.row().id(), used.row()));
        }
        long single = 0;
        for (var row : rows.values()) {
            single += round.arrangement(row).layout().losses() == 0 ? 1 : 0;
        }
        long lacking = 0;
        for (var row : incomplete(List.copyOf(rows.values()))) {
            lacking += isMended(row) ? 0 : 1;
        }
        return new Redundancy(rows.size(), single, lacking);
    }

    /**
     * Those with parts that are not in their stores. Distant stores take as long to answer for one as for many at a
     * time.
     */
    private List<BlockRow> incomplete(List<BlockRow> rows) throws IOException {
        var repair = spot.store().repair();
        var found = new ArrayList<BlockRow>();
        var asked = new ArrayList<Future<Boolean>>();
        var threads = Executors.newFixedThreadPool(GLANCES, Thread.ofPlatform().daemon().name("glance-", 0).factory());
        try {
            for (var row : rows) {
                asked.add(round.place(row).isPresent() ? CompletableFuture.completedFuture(false)
                        : threads.submit(() -> repair.glance(row.id(), new Located(row.layout(), row.storedSize()))
                                .isWhole()));
            }
            for (int i = 0; i < rows.size(); i++) {
                round.step(rows.get(i));
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
        var place = round.place(row);
        if (place.isPresent()) {
            return round.condition(row, place.get()) == Condition.RIGHT;
        }
        var mended = spot.store().repair().mend(row.id(), round.check(row));
        return mended.isRight() && mended.found().count(Condition.UNKNOWN) == 0
                && mended.repaired() == mended.found().count(Condition.MISSING)
                + mended.found().count(Condition.DAMAGED);
    }
}
