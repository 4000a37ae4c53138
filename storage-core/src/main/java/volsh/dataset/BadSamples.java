package volsh.dataset;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Samples and files that are not packed: how many for each reason, and the first of them. Thread-safe. */
public final class BadSamples {
    private static final int FIRST = 20;

    private final Map<String, Integer> reasons = new TreeMap<>();
    private final List<Bad> first = new ArrayList<>();
    private final List<String> ignored = new ArrayList<>();

    /** A sample, or a file, and why it was left out. */
    public record Bad(String name, String reason) {}

    public synchronized void add(String name, String reason) {
        reasons.merge(reason, 1, Integer::sum);
        if (first.size() < FIRST) {
            first.add(new Bad(name, reason));
        }
    }

    /** A file that is no sample and need not be one, such as a README. */
    public synchronized void ignore(String name) {
        ignored.add(name);
    }

    /** The files that were ignored. */
    public synchronized List<String> ignored() {
        return List.copyOf(ignored);
    }

    public synchronized int count() {
        return reasons.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** How many for each reason. */
    public synchronized Map<String, Integer> reasons() {
        return new TreeMap<>(reasons);
    }

    /** The first of them, for messages. */
    public synchronized List<Bad> first() {
        return List.copyOf(first);
    }

    /** Such as {@code 3 empty, 1 duplicate key}. */
    public synchronized String summary() {
        var parts = new ArrayList<String>();
        reasons.forEach((reason, count) -> parts.add(count + " " + reason));
        return String.join(", ", parts);
    }
}
