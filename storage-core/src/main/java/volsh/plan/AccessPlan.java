package volsh.plan;

import java.time.Duration;
import java.util.List;
import volsh.unit.ByteSize;
import volsh.unit.Rate;

/**
 * A way to bring a dataset from a store to a job on one node, with its cost.
 *
 * @param firstBatch when the job can start
 * @param moved      bytes read from the store, over all epochs
 * @param total      time of all epochs, if storage is the only limit
 * @param best       whether this is the recommended one
 */
public record AccessPlan(String way, boolean possible, Duration firstBatch, ByteSize moved, Duration total,
        boolean best, String why) {

    /**
     * @param disk  space on local disks
     * @param store what the store delivers to this node
     * @param local what local disks deliver
     * @param need  what the job reads while it computes
     */
    public record Terms(ByteSize dataset, ByteSize disk, long epochs, Rate store, Rate local, Rate need) {
        public Terms {
            Figures.positive(dataset.bytes(), "the dataset");
            Figures.positive(epochs, "the number of epochs");
        }
    }

    /** The alternatives, the best first. */
    public static List<AccessPlan> of(Terms terms) {
        var ways = List.of(download(terms), stream(terms), mount(terms));
        AccessPlan best = ways.stream().filter(AccessPlan::possible)
                .reduce((one, other) -> other.total.compareTo(one.total) < 0 ? other : one)
                .orElseThrow();
        return ways.stream().map(way -> way == best ? way.chosen() : way)
                .sorted(java.util.Comparator.comparing(AccessPlan::best).reversed()).toList();
    }

    private AccessPlan chosen() {
        return new AccessPlan(way, possible, firstBatch, moved, total, true, why);
    }

    private static AccessPlan download(Terms terms) {
        Duration copying = time((double) terms.dataset().bytes(), (double) terms.store().bytesPerSecond());
        Duration reading = time((double) terms.dataset().bytes() * terms.epochs(), slower(terms.local(), terms.need()));
        boolean fits = terms.dataset().compareTo(terms.disk()) <= 0;
        return new AccessPlan("pre-download", fits, copying, terms.dataset(), copying.plus(reading), false,
                fits ? "it fits on the disk; the job waits while it is copied"
                        : "%s does not fit on %s of disk".formatted(terms.dataset(), terms.disk()));
    }

    private static AccessPlan stream(Terms terms) {
        double bytes = (double) terms.dataset().bytes() * terms.epochs();
        return new AccessPlan("stream", true, Duration.ZERO, new ByteSize((long) bytes),
                time(bytes, slower(terms.store(), terms.need())), false,
                "every epoch is read from the store" + (terms.epochs() == 1 ? ", and there is only one" : " again"));
    }

    private static AccessPlan mount(Terms terms) {
        double dataset = terms.dataset().bytes();
        double kept = Math.min(dataset, (double) terms.disk().bytes());
        double later = (dataset - kept) * (terms.epochs() - 1);
        double first = seconds(dataset, slower(terms.store(), terms.need()));
        // From the second epoch on, cached and missing data are read concurrently.
        double epoch = Math.max(seconds(dataset, (double) terms.need().bytesPerSecond()),
                Math.max(seconds(kept, (double) terms.local().bytesPerSecond()),
                        seconds(dataset - kept, (double) terms.store().bytesPerSecond())));
        return new AccessPlan("mount", true, Duration.ZERO, new ByteSize((long) (dataset + later)),
                duration(first + epoch * (terms.epochs() - 1)), false, ("starts at once; a cache of %s hits %s%% from "
                        + "the second epoch on").formatted(terms.disk(), Figures.plain(100 * kept / dataset)));
    }

    private static double slower(Rate one, Rate other) {
        return Math.min(one.bytesPerSecond(), other.bytesPerSecond());
    }

    private static Duration time(double bytes, double rate) {
        return duration(seconds(bytes, rate));
    }

    private static double seconds(double bytes, double rate) {
        return bytes / rate;
    }

    private static Duration duration(double seconds) {
        return Duration.ofMillis(Math.round(1000 * seconds));
    }
}
