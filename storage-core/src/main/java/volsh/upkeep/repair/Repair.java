package volsh.upkeep.repair;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import volsh.block.BlockStore;
import volsh.engine.MetaEngine;
import volsh.fs.BlockRow;
import volsh.inventory.Row;
import volsh.upkeep.Cursor;
import volsh.upkeep.RowIndex;
import volsh.upkeep.StoppedException;
import volsh.upkeep.Watcher;
import volsh.upkeep.check.Check;
import volsh.upkeep.check.CheckOptions;
import volsh.upkeep.check.CheckReport;
import volsh.upkeep.check.Damage;
import volsh.upkeep.check.Finding;
import volsh.upkeep.check.Findings;
import volsh.upkeep.check.ObjectHeads;
import volsh.upkeep.check.StoredBlocks;

/**
 * Repairs what can be repaired, kind by kind in the order of {@link Damage}, and checks again after each: what one
 * repair leaves for another is found then. Needs the volume exclusively. Every row is logged before it is changed;
 * blocks are never deleted, and inodes without a name are moved to {@code /lost+found}.
 */
public final class Repair {
    /** Gives up after this many checks without progress: the repairs undo each other. */
    private static final int ROUNDS_MAX = 60;
    /** Rows of one transaction; a larger repair takes several. */
    private static final int ROWS_MAX = 500;

    private final MetaEngine engine;
    private final StoredBlocks stored;
    private final UUID volume;
    private final Path directory;
    private final InstantSource clock;
    private final long session;
    private RowIndex names;    // new for every round
    private RowIndex deaths;

    /** {@code session} is the only writer; {@code directory} is for temporary files and the log. */
    public Repair(MetaEngine engine, BlockStore store, UUID volume, Path directory, InstantSource clock, long session) {
        this(engine, StoredBlocks.in(store), volume, directory, clock, session);
    }

    /** The same for a volume that may have several stores. */
    public Repair(MetaEngine engine, StoredBlocks stored, UUID volume, Path directory, InstantSource clock,
            long session) {
        this.engine = engine;
        this.stored = stored;
        this.volume = volume;
        this.directory = directory;
        this.clock = clock;
        this.session = session;
        this.names = new RowIndex(engine);
        this.deaths = new RowIndex(engine);
    }

    /** Removes what keeps the volume from being opened: unreadable rows of sessions, clock and counters. */
    public static void clearTheWay(MetaEngine engine) throws IOException {
        for (char kind : new char[] {'s', 't', 'c'}) {
            var rows = Cursor.of(engine, kind, Watcher.NONE);
            while (rows.peek() != null) {
                if (Row.of(rows.next()) instanceof Row.Unreadable broken) {
                    engine.transact(tx -> {
                        tx.delete(broken.entry().key());
                        return null;
                    });
                }
            }
        }
    }

    /** Repairs until nothing repairable is left. The report is of the last check; its repairs are all that was done. */
    public CheckReport run(CheckOptions options, Watcher watcher) throws IOException {
        var check = new Check(engine, stored, volume, directory, OptionalLong.of(session));
        var done = new ArrayList<Finding>();
        var whole = new CheckOptions(false, OptionalLong.empty());
        try (var ledger = new RepairLog(directory.resolve("repairs")
                .resolve(clock.instant().toString().replace(':', '-') + ".jsonl"))) {
            var least = new EnumMap<Damage, Long>(Damage.class);
            for (int idle = 0; idle < ROUNDS_MAX; ) {
                var findings = check.look(whole, watcher).findings();
                var repaired = repairFirst(findings, ledger, done, watcher);
                if (repaired.isEmpty()) {
                    break;
                }
                long count = findings.counts().getOrDefault(repaired.get(), 0L);
                idle = count < least.getOrDefault(repaired.get(), Long.MAX_VALUE) ? 0 : idle + 1;
                least.merge(repaired.get(), count, Math::min);
            }
            engine.sync();
            return check.report(options, last(check, options, ledger, done, watcher), done);
        }
    }

    /** Checks again, including every byte if requested; rebuilds copies and shards that only this found damaged. */
    private Check.Seen last(Check check, CheckOptions options, RepairLog ledger, List<Finding> done, Watcher watcher)
            throws IOException {
        var seen = check.look(options, watcher);
        boolean mended = false;
        for (var finding : seen.findings().of(Damage.PART_CORRUPT)) {
            mended |= repair(finding, ledger, done);
        }
        return mended ? check.look(options, watcher) : seen;
    }

    /** Repairs the first repairable kind of damage; empty if there is none. */
    private Optional<Damage> repairFirst(Findings findings, RepairLog ledger, List<Finding> done, Watcher watcher)
            throws IOException {
        names = new RowIndex(engine);
        deaths = new RowIndex(engine);
        for (var damage : Damage.values()) {
            boolean any = false;
            for (var finding : damage.isRepairable() ? findings.of(damage) : List.<Finding>of()) {
                if (watcher.cancelled()) {
                    throw new StoppedException();
                }
                any |= repair(finding, ledger, done);
            }
            if (any) {
                return Optional.of(damage);
            }
        }
        return Optional.empty();
    }

    private boolean repair(Finding finding, RepairLog ledger, List<Finding> done) throws IOException {
        if (finding.damage() == Damage.PART_MISSING || finding.damage() == Damage.PART_CORRUPT) {
            return mend(finding, ledger, done);
        }
        var draft = new RepairDraft(engine);
        new Remedies(draft, new ObjectHeads(stored, volume), names, deaths).apply(finding);
        var changes = draft.changes();
        if (changes.isEmpty()) {
            return false;
        }
        ledger.write(clock.instant(), finding, changes);
        var mine = Row.from('s', session);
        for (int from = 0; from < changes.size(); from += ROWS_MAX) {
            var some = changes.subList(from, Math.min(from + ROWS_MAX, changes.size()));
            engine.transact(tx -> {
                tx.hold(mine);
                for (var change : some) {
                    change.apply(tx);
                }
                return null;
            });
        }
        done.add(finding);
        return true;
    }

    /** Changes no row: gives a store what it should have. */
    private boolean mend(Finding finding, RepairLog ledger, List<Finding> done) throws IOException {
        var bytes = engine.survey(tx -> tx.get(finding.repairedRow()));
        boolean mended = bytes != null
                && Row.of(new MetaEngine.Entry(finding.repairedRow(), bytes)) instanceof Row.Block(BlockRow row)
                && stored.parts().isPresent() && stored.parts().get().mend(row);
        if (mended) {
            ledger.write(clock.instant(), finding, List.of());
            done.add(finding);
        }
        return mended;
    }

    /** What would be repaired of these findings. */
    public static List<Finding> plan(CheckReport report) {
        return report.problems().stream().map(CheckReport.Problem::finding)
                .filter(finding -> finding.damage().isRepairable())
                .sorted((a, b) -> a.damage().compareTo(b.damage())).toList();
    }

}
