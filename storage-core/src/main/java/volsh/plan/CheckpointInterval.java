package volsh.plan;

import java.time.Duration;

/**
 * How often to take a checkpoint: each one stops the job for a while, and a failure loses the work since the last one.
 *
 * @param young   the interval √(2·stall·failure) of Young (1974), good if the stall is much shorter than it
 * @param daly    the same with the higher-order terms of Daly (2006); never longer than the time between failures
 * @param waste   the fraction of time lost to checkpoints and repeated work at Daly's interval, between 0 and 1
 */
public record CheckpointInterval(Duration young, Duration daly, double waste, String how) {

    public static CheckpointInterval of(Duration stall, Duration meanTimeToFailure) {
        double cost = stall.toNanos() / 1e9;
        double failure = meanTimeToFailure.toNanos() / 1e9;
        Figures.positive(cost, "the time a checkpoint stops the job");
        Figures.positive(failure, "the time between failures");
        double young = Math.sqrt(2 * cost * failure);
        double daly = daly(cost, failure);
        return new CheckpointInterval(duration(young), duration(daly), waste(cost, failure, daly),
                "√(2 × %s s × %s s) = %s s".formatted(Figures.plain(cost), Figures.plain(failure),
                        Figures.plain(young)));
    }

    private static double daly(double cost, double failure) {
        if (cost >= 2 * failure) {
            return failure;
        }
        double part = cost / (2 * failure);
        return Math.sqrt(2 * cost * failure) * (1 + Math.sqrt(part) / 3 + part / 9) - cost;
    }

    /** Time spent on checkpoints, plus on average half an interval and a checkpoint repeated for each failure. */
    static double waste(double cost, double failure, double interval) {
        return Math.min(1, cost / (interval + cost) + (interval / 2 + cost) / failure);
    }

    private static Duration duration(double seconds) {
        return Duration.ofMillis(Math.round(seconds * 1000));
    }
}
