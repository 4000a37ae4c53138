package volsh.bench.report;

import java.util.Locale;
import java.util.Map;
import volsh.bench.Measurement;
import volsh.unit.Count;
import volsh.unit.Span;

/** Keys and values of stored runs in the words of people. An unknown key is taken apart: {@code fileSystem}: File system. */
final class Names {
    private static final Map<String, String> FACTS = Map.ofEntries(
            Map.entry("ahead", "Batches prepared ahead by each worker"),
            Map.entry("batch", "Samples in a batch"),
            Map.entry("block", "Block size"),
            Map.entry("compute", "GPU time of a batch"),
            Map.entry("cpu", "Processor"),
            Map.entry("cpus", "Processors"),
            Map.entry("decode", "CPU time to decode a sample"),
            Map.entry("direct", "Direct I/O"),
            Map.entry("gpus", "GPUs"),
            Map.entry("io", "Size of an operation"),
            Map.entry("pace", "Operations started"),
            Map.entry("required", "Required utilisation"),
            Map.entry("seed", "Seed of random numbers"));
    private static final Map<String, String> SHARES = Map.of(
            "stall", "Stall: the part of the whole time in which GPUs waited for a batch; lower is better",
            "utilisation", "Utilisation: the part of the time in which GPUs computed, once the first batches were"
                    + " used up (AU of MLPerf Storage); higher is better. Stall counts the first wait, too, so the"
                    + " two need not add up to 100 %",
            "hits", "Hits: the part of the reads that the cache answered",
            "forecast", "Forecast: the hits that volsh predicted for this cache size; compare with Hits",
            "stored", "Stored: the size in the store as a part of the size of the files; lower is better");

    private Names() {}

    static String fact(String key) {
        return FACTS.getOrDefault(key, words(key));
    }

    static String share(String key) {
        return SHARES.getOrDefault(key, words(key));
    }

    private static String words(String key) {
        var words = key.replaceAll("(?<=[a-z])(?=[A-Z])", " ").toLowerCase(Locale.ROOT);
        return words.isEmpty() ? words : words.substring(0, 1).toUpperCase(Locale.ROOT) + words.substring(1);
    }

    /** ISO durations, kilobytes of the kernel, and booleans as people write them. */
    static String value(String text) {
        if (text.matches("PT[0-9HMS.]+")) {
            return Amounts.apart(Span.of(text).toString());
        }
        if (text.matches("\\d{1,15} kB")) {
            return Amounts.bytes(1024.0 * Long.parseLong(text.substring(0, text.length() - 3)));
        }
        if (text.matches("[0-9.]+%")) {
            return Amounts.apart(text);
        }
        return switch (text) {
            case "true" -> "yes";
            case "false" -> "no";
            default -> text;
        };
    }

    /** {@code 4 threads}; of a simulated DataLoader {@code 4 workers}. */
    static String threads(String phase, int number) {
        return Count.of(number, isLoader(phase) ? "worker" : "thread");
    }

    /** Whether an operation is a sample of a simulated DataLoader, and a latency a GPU's wait for a batch. */
    static boolean isLoader(String phase) {
        return phase.startsWith("loader");
    }

    static String speed(Measurement row) {
        return speed(row.speed(), row.bytes().bytes() > 0);
    }

    static String speed(double value, boolean bytes) {
        return bytes ? Amounts.rate(value) : Amounts.perSecond(value);
    }
}
