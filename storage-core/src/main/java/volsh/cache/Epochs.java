package volsh.cache;

import java.util.ArrayList;
import java.util.List;

/**
 * What one tier of a cache knows of how its data is read: the hits of each pass over it, and which part of the reads would be hits if
 * the cache had another size. {@code budget} is its size now.
 */
public record Epochs(String tier, long budget, List<Pass> passes, List<Forecast> forecasts) {
    /** One pass: so many bytes were asked for, so many frames were here and were not. The last one goes on ({@code whole} is false). */
    public record Pass(long number, long bytes, long hits, long misses, boolean whole) {
        /** Which part of the frames asked for was here; 0 if none was asked for. */
        public double hitRatio() {
            return hits + misses == 0 ? 0 : (double) hits / (hits + misses);
        }
    }

    /** A cache of {@code factor} times this size would have had this part of the reads of the last pass, by {@code sampled} of them. */
    public record Forecast(double factor, long bytes, double hitRatio, long sampled) {}

    public Epochs {
        passes = List.copyOf(passes);
        forecasts = List.copyOf(forecasts);
    }

    /** Of several tiers, for another process. */
    public static List<String> lines(List<Epochs> tiers) {
        var lines = new ArrayList<String>();
        for (var each : tiers) {
            lines.add("tier %d %s".formatted(each.budget, each.tier));
            each.passes.forEach(pass -> lines.add("pass %d %d %d %d %b".formatted(pass.number, pass.bytes, pass.hits, pass.misses, pass.whole)));
            each.forecasts.forEach(one -> lines.add("size %s %d %s %d".formatted(one.factor, one.bytes, one.hitRatio, one.sampled)));
        }
        return lines;
    }

    /** What {@link #lines} said. */
    public static List<Epochs> parse(List<String> lines) {
        var tiers = new ArrayList<Epochs>();
        var passes = new ArrayList<Pass>();
        var forecasts = new ArrayList<Forecast>();
        for (var line : lines.reversed()) {
            var words = line.split(" ", line.startsWith("tier") ? 3 : 6);
            switch (words[0]) {
                case "pass" -> passes.addFirst(new Pass(Long.parseLong(words[1]), Long.parseLong(words[2]), Long.parseLong(words[3]),
                        Long.parseLong(words[4]), Boolean.parseBoolean(words[5])));
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
