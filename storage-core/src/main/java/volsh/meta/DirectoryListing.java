package volsh.meta;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import volsh.engine.KeyFacts;
import volsh.engine.Keys;
import volsh.engine.MetaDamagedException;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.fs.DirectoryEntry;
import volsh.fs.Name;

/**
 * Lists directories. A damaged entry row (wrong checksum, impossible name or kind) does not keep the others from being
 * listed: it is left out. After listing everything the caller calls {@link #requireWhole}, which reports damaged rows,
 * and missing entries if the directory counts more than were found.
 */
final class DirectoryListing {
    /** Entries listed by one read. */
    private static final int PAGE = 500;
    private static final int RECOUNTS = 3;
    private static final int NAMED_MAX = 3;

    private final MetaEngine engine;
    private final Set<Long> incomplete = ConcurrentHashMap.newKeySet();

    DirectoryListing(MetaEngine engine) {
        this.engine = engine;
    }

    /** At most {@code limit} entries in name order, after {@code after} (null: from the start), in several reads. */
    List<DirectoryEntry> list(long directory, @Nullable Name after, int limit) throws IOException {
        var entries = new ArrayList<DirectoryEntry>();
        var from = after == null ? Keys.entries(directory) : Keys.entry(directory, after).next();
        while (from != null && entries.size() < limit) {
            int wanted = Math.min(PAGE, limit - entries.size());
            var rows = rows(directory, from, wanted);
            while (isLost(rows, from, wanted)) {
                wanted *= 2;
                rows = rows(directory, from, wanted);
            }
            from = rows.size() < wanted ? null : behind(rows, from);
            for (var row : rows) {
                try {
                    entries.add(entry(row));
                } catch (MetaDamagedException bad) {
                    incomplete.add(directory);
                }
            }
        }
        return entries.size() <= limit ? entries : entries.subList(0, limit);
    }

    private List<MetaEngine.Entry> rows(long directory, MetaKey from, int wanted) throws IOException {
        try {
            return engine.read(tx -> {
                var rows = scan(tx, directory, from, wanted);
                if (rows.isEmpty()) {
                    new View(tx).directory(directory);
                }
                return rows;
            });
        } catch (MetaDamagedException somewhere) {
            incomplete.add(directory);
            var rows = survey(directory, from, wanted);
            if (rows.isEmpty()) {
                throw somewhere;
            }
            return rows;
        }
    }

    private List<MetaEngine.Entry> survey(long directory, MetaKey from, int wanted) throws IOException {
        return engine.survey(tx -> scan(tx, directory, from, wanted));
    }

    private static List<MetaEngine.Entry> scan(MetaEngine.Transaction tx, long directory, MetaKey from, int wanted)
            throws IOException {
        return tx.scan(from, Keys.entries(directory).afterPrefix(), wanted);
    }

    /** Whether these are nothing but damaged rows. That is not the end: entries may follow behind them. */
    private static boolean isLost(List<MetaEngine.Entry> rows, MetaKey from, int wanted) {
        return rows.size() >= wanted && behind(rows, from) == null;
    }

    /** Where to continue: after the last row whose key can be trusted. Null if there is none. */
    private static @Nullable MetaKey behind(List<MetaEngine.Entry> rows, MetaKey from) {
        return rows.reversed().stream().filter(row -> !row.isDamaged() && row.key().compareTo(from) >= 0).findFirst()
                .map(row -> row.key().next()).orElse(null);
    }

    private static DirectoryEntry entry(MetaEngine.Entry row) throws MetaDamagedException {
        if (row.isDamaged()) {
            throw MetaDamagedException.checksum(row.key());
        }
        return View.entry(row);
    }

    /**
     * Checks that a complete listing of {@code listed} entries missed none.
     * @throws MetaDamagedException naming what is damaged or missing
     */
    void requireWhole(long directory, long listed) throws IOException {
        if (incomplete.contains(directory) || engine.countsEntries() && listed < counters(directory).entries()) {
            recount(directory);
        }
    }

    private DirectoryCounters counters(long directory) throws IOException {
        return engine.read(tx -> new View(tx).counters(directory));
    }

    /** Recounts the entries. The result counts only if the directory did not change meanwhile. */
    private void recount(long directory) throws IOException {
        for (int attempt = 0; attempt < RECOUNTS; attempt++) {
            var before = counters(directory);
            var bad = new ArrayList<String>();
            MetaKey first = null;
            long good = 0;
            var from = Keys.entries(directory);
            while (from != null) {
                var start = from;
                int wanted = PAGE;
                var rows = survey(directory, start, wanted);
                while (isLost(rows, start, wanted)) {
                    wanted *= 2;
                    rows = survey(directory, start, wanted);
                }
                from = rows.size() < wanted ? null : behind(rows, start);
                for (var row : rows) {
                    try {
                        entry(row);
                        good++;
                    } catch (MetaDamagedException damaged) {
                        first = first == null ? row.key() : first;
                        bad.add(KeyFacts.describe(row.key()));
                    }
                }
            }
            var after = counters(directory);
            if (first != null) {
                throw MetaDamagedException.of(first, words(bad), null);
            }
            if (before.changes() == after.changes()) {
                if (engine.countsEntries() && good < after.entries()) {
                    throw MetaDamagedException.of(Keys.node(directory),
                            "counts %d entries, but %d were found".formatted(after.entries(), good), null);
                }
                incomplete.remove(directory);
                return;
            }
        }
    }

    private static String words(List<String> bad) {
        String rest = bad.size() == 1 ? "" : "; also damaged: " + String.join(", ", bad.subList(1, Math.min(bad.size(),
                NAMED_MAX))) + (bad.size() > NAMED_MAX ? " and %d more".formatted(bad.size() - NAMED_MAX) : "");
        return "is damaged" + rest;
    }
}
