package volsh.cache;

import java.util.ArrayList;
import java.util.List;

/**
 * How the data of one tier of a cache is read: the hits of each pass over it, and the hit ratio it would have with
 * another size. {@code budget} is its size now.
 */
public record Epochs(String tier, long budget, List<Pass> passes, List<Forecast> forecasts) {
    /**
     * One pass: the bytes asked for, and the frames that were hits and misses. The last pass is not complete ({@code
     * whole} is false).
     */
    public record Pass(long number, long bytes, long hits, long misses, boolean whole) {
        /** The part of the frames asked for that were hits; 0 if none was asked for. */
        public double hitRatio() {
            return hits + misses == 0 ? 0 : (double) hits / (hits + misses);
        }
    }

    /**
     * The hit ratio of the last pass with a cache of {@code factor} times this size, estimated from {@code sampled}
     * reads.
     */
    public record Forecast(double factor, long bytes, double hitRatio, long sampled) {}

    public Epochs {
        passes = List.copyOf(passes);
        forecasts = List.copyOf(forecasts);
    }

    /** Several tiers as lines, for another process. */
    public static List<String> lines(List<Epochs> tiers) {
        var lines = new ArrayList<String>();
        for (var each : tiers) {
            lines.add("tier %d %s".formatted(each.budget, each.tier));
            each.passes.forEach(pass -> lines.add("pass %d %d %d %d %b".formatted(pass.number, pass.bytes, pass.hits,
                    pass.misses, pass.whole)));
            each.forecasts.forEach(one ->
                    lines.add("size %s %d %s %d".formatted(one.factor, one.bytes, one.hitRatio, one.sampled)));
        }
        return lines;
    }

    /** Parses the result of {@link #lines}. */
    public static List<Epochs> parse(List<String> lines) {
        var tiers = new ArrayList<Epochs>();
        var passes = new ArrayList<Pass>();
        var forecasts = new ArrayList<Forecast>();
        for (var line : lines.reversed()) {
            var words = line.split(" ", line.startsWith("tier") ? 3 : 6);
            switch (words[0]) {
                case "pass" -> passes.addFirst(new Pass(Long.parseLong(words[1]), Long.parseLong(words[2]),
                        Long.parseLong(words[3]), Long.parseLong(words[4]), Boolean.parseBoolean(words[5])));
                case "size" -> forecasts.addFirst(new Forecast(Double.parseDouble(words[1]), Long.parseLong(words[2]),
                        Double.parseDouble(words[3]), Long.parseLong(words[4])));
                case "tier" -> {
                    tiers.addFirst(new Epochs(words[2], Long.parseLong(words[1]), passes, forecasts));
                    passes.clear();
                    forecasts.clear();
                }
                default -> throw new IllegalArgumentException("not a line of epochs: " + line);
            }
        }
        return tiers;
    }
}
