package volsh.upkeep;

import java.util.List;
import java.util.Map;

/**
 * What a check found. {@code problems} are the first of each kind, {@code counts} all of them; {@code repairs} what was repaired,
 * {@code left} what was not repaired then. {@code passes} is how often it looked: more than once if others were at work.
 */
public record CheckReport(List<Problem> problems, Map<Damage, Long> counts, Totals totals, int passes, boolean quiet, List<Problem> repairs, long left) {

    /** One thing that is wrong, with files it concerns. */
    public record Problem(Finding finding, List<String> paths) {
        public Damage damage() {
            return finding.damage();
        }
    }

    /** What there is. */
    public record Totals(long files, long directories, long bytes, long extents, long versions, long blocks, long storedBytes, long bytesRead, long elsewhere) {}

    public CheckReport {
        problems = List.copyOf(problems);
        counts = Map.copyOf(counts);
        repairs = List.copyOf(repairs);
    }

    /** Is nothing wrong, or nothing but what takes space? */
    public boolean isClean() {
        return left == 0;
    }
}
