package volsh.command.doctor;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.regex.Pattern;
import volsh.command.failure.CommandFailure;
import volsh.doctor.ActivitySample;

/** A condition on a number of a sample: {@code hitRatio > 0.95}. */
record Expectation(String name, String comparison, double limit) {
    private static final Pattern SHAPE = Pattern.compile("\\s*(\\w+)\\s*(<=|>=|<|>)\\s*([0-9.eE+-]+)\\s*");
    private static final Map<String, ToDoubleFunction<ActivitySample>> NUMBERS = new LinkedHashMap<>();

    static {
        NUMBERS.put("hitRatio", ActivitySample::hitRatio);
        NUMBERS.put("readMillis",
                sample -> sample.reads() == 0 ? 0 : sample.readTime().toNanos() / 1e6 / sample.reads());
        NUMBERS.put("getMillis", sample -> sample.meanGet().toNanos() / 1e6);
        NUMBERS.put("metadataMillis", sample -> sample.meanMetadata().toNanos() / 1e6);
        NUMBERS.put("underWay", ActivitySample::underWay);
        NUMBERS.put("readBytesPerSecond", ActivitySample::readRate);
        NUMBERS.put("stagedBytes", ActivitySample::stagedAfter);
    }

    static Expectation of(String text) {
        var found = SHAPE.matcher(text);
        if (!found.matches() || !NUMBERS.containsKey(found.group(1))) {
            throw CommandFailure.usage("'%s' is not an expectation (try 'hitRatio > 0.95'; metrics: %s)"
                    .formatted(text, String.join(", ", NUMBERS.keySet())));
        }
        try {
            return new Expectation(found.group(1), found.group(2), Double.parseDouble(found.group(3)));
        } catch (NumberFormatException notOne) {
            throw CommandFailure.usage("'%s' has no number as its limit".formatted(text));
        }
    }

    double value(ActivitySample sample) {
        return Math.round(NUMBERS.get(name).applyAsDouble(sample) * 1000) / 1000.0;
    }

    boolean holds(ActivitySample sample) {
        double value = NUMBERS.get(name).applyAsDouble(sample);
        return switch (comparison) {
            case "<" -> value < limit;
            case "<=" -> value <= limit;
            case ">" -> value > limit;
            default -> value >= limit;
        };
    }

    @Override
    public String toString() {
        return "%s %s %s".formatted(name, comparison, limit);
    }
}
