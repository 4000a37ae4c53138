package volsh.upkeep.check;

import java.io.IOException;
import java.util.List;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.inventory.Row;
import volsh.upkeep.Cursor;
import volsh.upkeep.RowTally;
import volsh.upkeep.SpillSort;
import volsh.upkeep.Watcher;

/** Checks past versions: each ends after it begins, and no two of a row were current at the same time. */
final class HistoryCheck {
    private final Findings findings;
    private final RowTally tally;
    private final CheckPass.Highest highest;
    private final SpillSort extents;
    private final Cursor rows;

    HistoryCheck(MetaEngine engine, Findings findings, RowTally tally, CheckPass.Highest highest, SpillSort extents,
            Watcher watcher) {
        this.findings = findings;
        this.tally = tally;
        this.highest = highest;
        this.extents = extents;
        this.rows = Cursor.of(engine, 'h', watcher);
    }

    void run() throws IOException {
        MetaKey before = null;
        long until = 0;
        while (rows.peek() != null) {
            switch (Row.of(rows.next())) {
                case Row.Version version -> {
                    var of = version.row().entry().key();
                    check(version, of.equals(before) ? until : Long.MIN_VALUE);
                    before = of;
                    until = version.end();
                }
                case Row.Unreadable broken -> CheckPass.report(findings, broken);
                default -> throw new IllegalStateException("not a version");
            }
        }
    }

    private void check(Row.Version version, long until) throws IOException {
        tally.version();
        highest.tick(version.end());
        if (version.row() instanceof Row.Run run) {
            extents.add(run.block(), run.ino(), run.offset(), run.length(), 0);
        }
        var key = version.entry().key();
        if (version.since() >= version.end()) {
            found(Damage.HISTORY_WRONG, version, key, 0);
        } else if (version.since() < until) {
            found(Damage.HISTORY_OVERLAP, version, key, until);
        }
    }

    private void found(Damage damage, Row.Version version, MetaKey key, long number) {
        findings.add(new Finding(damage, "version " + key, "of [%d, %d)".formatted(version.since(), version.end()), key,
                number, List.of()));
    }
}
