package volsh.upkeep.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The result of a check. {@code problems} are the first of each kind, {@code counts} all of them; {@code repairs} what
 * was repaired, {@code left} what could not be. {@code passes} is the number of passes: more than one if the volume was
 * in use.
 */
public record CheckReport(List<Problem> problems, Map<Damage, Long> counts, Totals totals, int passes, boolean quiet,
        List<Problem> repairs, long left) {

    /** One problem, with the files it affects. */
    public record Problem(Finding finding, List<String> paths) {
        public Damage damage() {
            return finding.damage();
        }
    }

    /** Totals of the volume. */
    public record Totals(long files, long directories, long bytes, long extents, long versions, long blocks,
            long storedBytes, long bytesRead, long elsewhere, long importedBytes) {}

    public CheckReport {
        problems = List.copyOf(problems);
        counts = Map.copyOf(counts);
        repairs = List.copyOf(repairs);
    }

    /** For a database that does not return its rows: what it reports of itself. */
    public static CheckReport ofDatabase(List<String> problems) {
        var report = new CheckReport(List.of(), Map.of(), new Totals(0, 0, 0, 0, 0, 0, 0, 0, 0, 0), 1, true,
                List.of(), 0);
        for (var problem : problems) {
            report = report.with(Finding.ofDatabase(problem));
        }
        return report;
    }

    /** With another problem. */
    public CheckReport with(Finding finding) {
        var all = new ArrayList<>(problems);
        all.add(new Problem(finding, List.of()));
        var counted = new HashMap<>(counts);
        counted.merge(finding.damage(), 1L, Long::sum);
        return new CheckReport(all, counted, totals, passes, quiet, repairs, left + 1);
    }

    /** With something that was repaired before. */
    public CheckReport after(Finding repaired) {
        var all = new ArrayList<>(List.of(new Problem(repaired, List.of())));
        all.addAll(repairs);
        return new CheckReport(problems, counts, totals, passes, quiet, all, left);
    }

    /** Whether the only problem is unavailable stores: their content was not checked, and no damage is known. */
    public boolean isOnlyAway() {
        return left > 0 && left == counts.getOrDefault(Damage.STORE_AWAY, 0L);
    }

    /** Whether nothing is wrong except wasted space. */
    public boolean isClean() {
        return left == 0;
    }
}
