package volsh.bench.report;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import volsh.bench.Measurement;
import volsh.bench.Run;

/** The runs of a report: a run's number is its colour everywhere. */
record Series(List<Run> runs) {
    /** Identifies a row. */
    record Key(String phase, int threads, long each) {
        static Key of(Measurement row) {
            return new Key(row.phase(), row.threads(), row.each().bytes());
        }
    }

    /** One bar, dot or point of a line: its run and its measurement. */
    record Entry(int run, Measurement row) {}

    /** The rows of all runs, each once, in order of first appearance. */
    List<Key> keys() {
        var keys = new LinkedHashSet<Key>();
        runs.forEach(run -> run.rows().forEach(row -> keys.add(Key.of(row))));
        return List.copyOf(keys);
    }

    /** The runs that have this row. */
    List<Entry> of(Key key) {
        var found = new ArrayList<Entry>();
        for (int run = 0; run < runs.size(); run++) {
            int number = run;
            row(number, key).ifPresent(row -> found.add(new Entry(number, row)));
        }
        return found;
    }

    private Optional<Measurement> row(int run, Key key) {
        return runs.get(run).rows().stream().filter(row -> Key.of(row).equals(key)).findFirst();
    }

    /** {@code read, 4 threads}, with the operation size where rows differ in nothing else. */
    String label(Key key) {
        boolean several = keys().stream().anyMatch(other ->
                other.phase().equals(key.phase()) && other.threads() == key.threads() && other.each() != key.each());
        return key.phase() + (key.threads() == 1 ? "" : " ×" + key.threads())
                + (several ? " " + Amounts.bytes((double) key.each()) : "");
    }
}
