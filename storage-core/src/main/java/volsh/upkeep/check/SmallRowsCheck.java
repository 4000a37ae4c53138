package volsh.upkeep.check;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import volsh.engine.Delta;
import volsh.engine.Keys;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.inventory.Row;
import volsh.meta.Session;
import volsh.quota.Account;
import volsh.quota.QuotaRule;
import volsh.upkeep.Cursor;
import volsh.upkeep.RowTally;
import volsh.upkeep.Watcher;

/** Checks the rows of which there are few: clocks, counters, sessions, journals; and unknown ones. */
final class SmallRowsCheck {
    private static final List<String> COUNTERS = List.of("inode", "block", "session");
    /** Kinds that are checked elsewhere. */
    private static final String ELSEWHERE = "ADELNXShoudbxlPw";

    private static final Delta TWO = new Delta(new long[2], new long[0]);
    private static final Delta NOTHING = new Delta(new long[3], new long[0]);

    private final MetaEngine engine;
    private final Findings findings;
    private final RowTally tally;
    private final CheckPass.Highest highest;
    private final Watcher watcher;
    private final HashSet<String> counters = new HashSet<>();
    private long tick = -1;
    private final long[] usage = new long[3];
    private long imported;
    private long directories;
    private long roots;
    private final Map<Account, long[]> accounts = new HashMap<>();
    private long ownersCounted;
    private boolean ownersLimited;

    SmallRowsCheck(MetaEngine engine, Findings findings, RowTally tally, CheckPass.Highest highest, Watcher watcher) {
        this.engine = engine;
        this.findings = findings;
        this.tally = tally;
        this.highest = highest;
        this.watcher = watcher;
    }

    /** The sessions, as far as they can be read. */
    static List<Session> sessions(MetaEngine engine) throws IOException {
        var found = new ArrayList<Session>();
        var rows = Cursor.of(engine, 's', Watcher.NONE);
        while (rows.peek() != null) {
            if (Row.of(rows.next()) instanceof Row.User(Session session)) {
                found.add(session);
            }
        }
        return found;
    }

    void run() throws IOException {
        for (int kind = 1; kind < 0xff; kind++) {
            if (ELSEWHERE.indexOf(kind) < 0 && kind != 'c' && kind != 't') {
                look(kind);
            }
        }
        look('c');
        look('t');
        afterAll();
    }

    private void look(int kind) throws IOException {
        var from = MetaKey.of((byte) kind);
        var rows = new Cursor(engine, from, from.afterPrefix(), watcher);
        while (rows.peek() != null) {
            look(Row.of(rows.next()));
        }
    }

    private void look(Row row) {
        switch (row) {
            case Row.User(Session session) -> session(session);
            case Row.Tick(long value) -> tick = value;
            case Row.NextNumber(String of, long next) -> counter(row, of, next);
            case Row.Retention retention -> pins(retention);
            case Row.UsageCount(_, var counts) -> {
                for (int i = 0; i < usage.length; i++) {
                    usage[i] += counts.sums()[i];
                }
            }
            case Row.ImportedCount(_, var counts) -> imported += counts.sums()[0];
            case Row.DirectoriesCount(_, var counts) -> {
                directories += counts.sums()[0];
                roots += counts.sums()[1];
            }
            case Row.OwnersCounted(long below) -> ownersCounted = below;
            case Row.Quota(QuotaRule rule) -> ownersLimited |= rule.account().isOwner();
            case Row.AccountCount(Account account, _, var counts) -> {
                long[] said = accounts.computeIfAbsent(account, id -> new long[2]);
                said[0] += counts.sums()[0];
                said[1] += counts.sums()[1];
            }
            case Row.Removed removed -> {
                highest.tick(removed.tick());
                highest.inode(removed.ino());
            }
            case Row.Unreadable broken -> CheckPass.report(findings, broken);
            case Row.Unknown unknown -> findings.add(Finding.of(Damage.UNKNOWN_ROW, "row " + unknown.entry().key(),
                    "%d bytes".formatted(unknown.entry().value().length), unknown.entry().key()));
            default -> { }
        }
    }

    private void session(Session session) {
        highest.session(session.id());
        session.blocks().forEach(range -> highest.block(range.end() - 1));
    }

    private void counter(Row row, String of, long next) {
        counters.add(of);
        if (!COUNTERS.contains(of)) {
            return;
        }
        if (next <= highest.of(of)) {
            findings.add(new Finding(Damage.NUMBER_BEHIND, "counter " + of, "the next is %d, but %d is in use"
                    .formatted(next, highest.of(of)), row.entry().key(), highest.of(of) + 1, List.of()));
        }
    }

    private void pins(Row.Retention retention) {
        long[] sorted = retention.pins().clone();
        Arrays.sort(sorted);
        if (!Arrays.equals(sorted, retention.pins())) {
            findings.add(Finding.of(Damage.PINS_WRONG, "retained ticks", Arrays.toString(retention.pins()),
                    retention.entry().key()));
        }
    }

    private void afterAll() {
        for (var of : COUNTERS) {
            long most = highest.of(of);
            if (!counters.contains(of) && most > (of.equals("inode") ? 1 : 0)) {
                var row = new Row.NextNumber(of, most + 1);
                findings.add(new Finding(Damage.NUMBER_BEHIND, "counter " + of,
                        "it is missing, but %d is in use".formatted(most), row.entry().key(), most + 1, List.of()));
            }
        }
        if (tick < highest.tick()) {
            var row = new Row.Tick(highest.tick());
            findings.add(new Finding(Damage.TICK_BEHIND, "clock", "%s, but a row has tick %d"
                    .formatted(tick < 0 ? "it is missing" : Long.toString(tick), highest.tick()),
                    row.entry().key(), highest.tick(), List.of()));
        }
        accounts();
        usage("bytes", 0, tally.bytes());
        usage("inodes", 1, tally.inodes());
        usage("stored-bytes", 2, tally.storedBytes());
        if (imported != tally.importedBytes()) {
            findings.add(new Finding(Damage.USAGE_WRONG, "usage imported-bytes",
                    "counts %d, but there are %d".formatted(imported, tally.importedBytes()), Keys.imported(0),
                    tally.importedBytes(), List.of()));
        }
        if (roots == 0 && tally.directories() > 0) {
            findings.add(new Finding(Damage.DIRECTORIES_UNCOUNTED, "usage directories",
                    "there are %d".formatted(tally.directories()), Keys.directories(0), tally.directories(),
                    List.of()));
        } else if (directories != tally.directories()) {
            findings.add(new Finding(Damage.USAGE_WRONG, "usage directories",
                    "counts %d, but there are %d".formatted(directories, tally.directories()), Keys.directories(0),
                    tally.directories(), List.of()));
        }
    }

    private void accounts() {
        if (ownersLimited && ownersCounted != Long.MAX_VALUE) {
            findings.add(new Finding(Damage.QUOTA_COUNT_WRONG, "owners",
                    "there are quotas of users or groups, but not all files are counted for their owners",
                    new Row.OwnersCounted(0).entry().key(), Long.MAX_VALUE, List.of()));
            return;
        }
        var all = new HashSet<>(accounts.keySet());
        all.addAll(tally.accounts().keySet());
        for (var account : all) {
            long[] said = accounts.getOrDefault(account, new long[2]);
            long[] right = tally.accounts().getOrDefault(account, new long[2]);
            for (int i = 0; i < right.length; i++) {
                if (said[i] != right[i]) {
                    findings.add(new Finding(Damage.QUOTA_COUNT_WRONG,
                            "%s %d %s".formatted(account.kind().name().toLowerCase(Locale.ROOT), account.id(), i == 0
                                    ? "bytes" : "inodes"), "counts %d, but there are %d".formatted(said[i], right[i]),
                            new Row.AccountCount(account, i, TWO).entry().key(), right[i], List.of()));
                }
            }
        }
    }

    private void usage(String of, int index, long right) {
        if (usage[index] != right) {
            findings.add(new Finding(Damage.USAGE_WRONG, "usage " + of, "counts %d, but there are %d".formatted(
                    usage[index], right), new Row.UsageCount(index, NOTHING).entry().key(), right, List.of()));
        }
    }
}
