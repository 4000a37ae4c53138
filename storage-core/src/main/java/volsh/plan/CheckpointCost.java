package volsh.plan;

import java.time.Duration;

/**
 * The cost of stopping all GPUs during a checkpoint.
 *
 * @param overhead the fraction of time spent on checkpoints, between 0 and 1
 */
public record CheckpointCost(double gpuHours, double usd, double usdPerHour, double usdPerWeek, double overhead,
        String how) {
    private static final double HOUR = 3600;
    private static final int HOURS_OF_A_WEEK = 168;

    /** All GPUs wait for {@code stall} every {@code interval}; one costs {@code usd} an hour. */
    public static CheckpointCost of(long gpus, Duration stall, Duration interval, double usd) {
        Figures.positive(gpus, "the number of GPUs");
        Figures.positive(interval.toNanos(), "the time between checkpoints");
        double hours = gpus * seconds(stall) / HOUR;
        double perHour = hours * usd * HOUR / seconds(interval);
        return new CheckpointCost(hours, hours * usd, perHour, perHour * HOURS_OF_A_WEEK, seconds(
                stall) / seconds(interval), "%s GPUs × %s s = %s GPU-h × $%s = $%s".formatted(Figures.count(gpus),
                Figures.plain(seconds(stall)), Figures.plain(hours), Figures.plain(usd), Figures.plain(hours * usd)));
    }

    private static double seconds(Duration time) {
        return time.toNanos() / 1e9;
    }
}
