package volsh.upkeep.check;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import volsh.engine.MetaKey;

/** The problems found: all of them counted, the first of each kind kept. Thread-safe. */
public final class Findings {
    /** How many of a kind are reported and repaired at a time. */
    static final int KEPT = 2000;
    private static final int ROWS_KNOWN = 100_000;

    private final Map<Damage, Long> counts = new EnumMap<>(Damage.class);
    private final Map<Damage, List<Finding>> kept = new EnumMap<>(Damage.class);
    private final Set<MetaKey> unreadable = new HashSet<>();

    synchronized void add(Finding finding) {
        counts.merge(finding.damage(), 1L, Long::sum);
        var same = kept.computeIfAbsent(finding.damage(), damage -> new ArrayList<>());
        if (same.size() < KEPT) {
            same.add(finding);
        }
    }

    /** Adds an unreadable row, once: scans of several ranges may meet it, if its key is wrong. */
    synchronized void addUnreadable(Finding finding) {
        if (unreadable.size() >= ROWS_KNOWN || unreadable.add(finding.row())) {
            add(finding);
        }
    }

    synchronized List<Finding> list() {
        return kept.values().stream().flatMap(List::stream).toList();
    }

    public synchronized List<Finding> of(Damage damage) {
        return List.copyOf(kept.getOrDefault(damage, List.of()));
    }

    synchronized long count() {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    public synchronized Map<Damage, Long> counts() {
        return Map.copyOf(counts);
    }

    /** Problems that are in both: the others came or went with concurrent changes. */
    Findings and(Findings later) {
        var both = new Findings();
        for (var finding : later.list()) {
            if (of(finding.damage()).stream().anyMatch(finding::isSame)) {
                both.add(finding);
            }
        }
        return both;
    }
}
