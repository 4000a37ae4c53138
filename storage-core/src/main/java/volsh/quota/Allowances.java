package volsh.quota;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import volsh.engine.Keys;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.fs.FsError;
import volsh.fs.FsException;

/**
 * What a session may still use of accounts with a quota. It reserves slices of what remains, in a transaction that
 * reads all of it, and then uses them up in transactions that read none: no row is hot. Usage and reservations together
 * never exceed the quota, so a quota holds whatever sessions do concurrently, even if they are killed; reservations of
 * dead sessions are dropped. Changed rules are looked up once a second.
 */
public final class Allowances {
    private static final Duration RULES_AGE = Duration.ofSeconds(1);
    private static final long SLICE_BYTES = 64 << 20;
    private static final long SLICE_INODES = 1024;
    private static final int SHARE = 8;
    private static final int ROWS_MAX = 400;
    /** The most sessions that may reserve under one quota: one transaction reads all of them. */
    private static final int RESERVED_MAX = 900;
    private static final byte[] NEVER = {};

    private final MetaEngine engine;
    private final InstantSource clock;
    private final long session;
    private final Map<Account, Charge> left = new HashMap<>();
    private Map<Account, QuotaRule> rules = Map.of();
    private byte @Nullable [] version = NEVER;
    private Instant looked = Instant.MIN;

    public Allowances(MetaEngine engine, InstantSource clock, long session) {
        this.engine = engine;
        this.clock = clock;
        this.session = session;
    }

    /** Not enough is reserved for a change: it has to be run again after {@link #reserve}. */
    public static final class ShortException extends IOException {
        private final transient Account account;
        private final transient Charge need;

        ShortException(Account account, Charge need) {
            super("not enough quota is reserved for this session", null);
            this.account = account;
            this.need = need;
        }
    }

    /** Reads the rules unless that was done recently. */
    public void refresh() throws IOException {
        synchronized (this) {
            var now = clock.instant();
            if (!looked.equals(Instant.MIN) && now.isBefore(looked.plus(RULES_AGE)) && !now.isBefore(looked)) {
                return;
            }
            looked = now;
        }
        byte[] current = engine.read(tx -> tx.get(QuotaKeys.RULES_VERSION));
        synchronized (this) {
            if (version != NEVER && Arrays.equals(version, current)) {
                return;
            }
        }
        var found = new HashMap<Account, QuotaRule>();
        for (var rule : rules(engine)) {
            found.put(rule.account(), rule);
        }
        synchronized (this) {
            rules = Map.copyOf(found);
            version = current;
        }
    }

    /** All rules, a page at a time. */
    public static List<QuotaRule> rules(MetaEngine engine) throws IOException {
        var found = new ArrayList<QuotaRule>();
        for (var from = QuotaKeys.RULES; from != null; ) {
            var start = from;
            var page = engine.read(tx -> tx.scan(start, QuotaKeys.RULES.afterPrefix(), ROWS_MAX));
            for (var row : page) {
                found.add(QuotaRule.parse(row.key(), row.value()));
            }
            from = page.size() < ROWS_MAX ? null : page.getLast().key().next();
        }
        return found;
    }

    /**
     * Takes what a change needs and records it in the transaction.
     * @throws ShortException if that is more than is reserved
     */
    public synchronized void take(MetaEngine.Transaction tx, Map<Account, Charge> charges, Map<Account, Charge> taken)
            throws IOException {
        for (var each : charges.entrySet()) {
            var rule = rules.get(each.getKey());
            var need = each.getValue().growth();
            if (rule == null || need.isNothing()) {
                continue;
            }
            var have = left.getOrDefault(each.getKey(), Charge.NOTHING);
            if (!have.covers(need)) {
                throw new ShortException(each.getKey(), need);
            }
            left.put(each.getKey(), have.minus(need));
            taken.put(each.getKey(), need);
            tx.add(QuotaKeys.reserved(each.getKey(), session), Charge.NOTHING.minus(need).delta());
        }
    }

    /** Returns what a failed change took. */
    public synchronized void giveBack(Map<Account, Charge> taken) {
        taken.forEach((account, charge) -> left.merge(account, charge, Charge::plus));
        taken.clear();
    }

    /** Reserves what was missing, and a slice more if possible. @throws QuotaReachedException if too little is left */
    public void reserve(ShortException wanted) throws IOException {
        QuotaRule rule;
        Charge have;
        synchronized (this) {
            rule = rules.get(wanted.account);
            have = left.getOrDefault(wanted.account, Charge.NOTHING);
        }
        if (rule == null) {
            return;
        }
        var need = wanted.need.minus(have).growth();
        forgetGone(wanted.account);
        var got = engine.transact(tx -> reserve(tx, rule, need));
        synchronized (this) {
            left.merge(wanted.account, got, Charge::plus);
        }
    }

    private Charge reserve(MetaEngine.Transaction tx, QuotaRule rule, Charge need) throws IOException {
        var used = usage(tx, rule.account());
        var promised = promised(tx, rule.account());
        var gone = used.plus(promised);
        if (rule.bytes() - gone.bytes() < need.bytes() || rule.inodes() - gone.inodes() < need.inodes()) {
            throw new QuotaReachedException(rule, used, promised, need);
        }
        long bytes = slice(rule.bytes(), gone.bytes(), need.bytes(), SLICE_BYTES);
        long inodes = slice(rule.inodes(), gone.inodes(), need.inodes(), SLICE_INODES);
        var got = new Charge(bytes, inodes);
        tx.add(QuotaKeys.reserved(rule.account(), session), got.delta());
        return got;
    }

    /** The reservations of all sessions. Those of dead sessions are dropped. */
    private static Charge promised(MetaEngine.Transaction tx, Account account) throws IOException {
        var promised = Charge.NOTHING;
        var reserved = QuotaKeys.reserved(account);
        var rows = tx.scan(reserved, reserved.afterPrefix(), RESERVED_MAX);
        if (rows.size() == RESERVED_MAX) {
            throw new FsException(FsError.BUSY,
                    "too many writers: %d sessions already write under one quota; retry later".formatted(RESERVED_MAX));
        }
        boolean few = rows.size() < ROWS_MAX;   // if there are many, dead ones are dropped before
        var sessions = few ? tx.getAll(rows.stream().map(row -> Keys.session(QuotaKeys.session(row.key()))).toList())
                : Map.<MetaKey, byte[]>of();
        for (var row : rows) {
            if (!few || sessions.containsKey(Keys.session(QuotaKeys.session(row.key())))) {
                promised = promised.plus(Charge.parse(row.value()).growth());
            } else {
                tx.delete(row.key());
            }
        }
        return promised;
    }

    /** Drops reservations of dead sessions, if there are too many to reserve more. */
    private void forgetGone(Account account) throws IOException {
        var reserved = QuotaKeys.reserved(account);
        for (var from = reserved; from != null; ) {
            var start = from;
            var page = engine.read(tx -> tx.scan(start, reserved.afterPrefix(), ROWS_MAX));
            if (page.size() < ROWS_MAX && start.equals(reserved)) {
                return;
            }
            engine.transact(tx -> {
                var sessions = tx.getAll(page.stream().map(row -> Keys.session(QuotaKeys.session(row.key()))).toList());
                for (var row : page) {
                    if (!sessions.containsKey(Keys.session(QuotaKeys.session(row.key())))) {
                        tx.delete(row.key());
                    }
                }
                return null;
            });
            from = page.size() < ROWS_MAX ? null : page.getLast().key().next();
        }
    }

    /** What is needed, and more if much is left. */
    private static long slice(long limit, long gone, long need, long most) {
        return Math.max(need, limit == QuotaRule.NONE ? most : Math.min(most, (limit - gone) / SHARE));
    }

    /** The usage of an account. */
    public static Charge usage(MetaEngine.Transaction tx, Account account) throws IOException {
        var total = Charge.NOTHING;
        var prefix = account.kind() == Account.Kind.VOLUME ? Keys.kind('U') : QuotaKeys.usage(account);
        for (var row : tx.scan(prefix, prefix.afterPrefix(), 256)) {
            total = total.plus(Charge.parse(row.value()));
        }
        return total;
    }
}
