package volsh.place;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.StringJoiner;
import volsh.unit.Percent;
import volsh.unit.Span;

/**
 * Faults injected into a store until a given time: no answers, late answers, errors or flipped bits. Written as
 * {@code until=2026-11-17T02:00:00Z down slow=200ms errors=5% corrupt=1%}.
 */
public record Chaos(Instant until, boolean down, Duration slow, Percent errors, Percent corrupt) {
    private static final Percent NEVER = new Percent(0);

    /** No faults yet. */
    public static Chaos until(Instant moment) {
        return new Chaos(moment, false, Duration.ZERO, NEVER, NEVER);
    }

    public Chaos withDown() {
        return new Chaos(until, true, slow, errors, corrupt);
    }

    public Chaos withSlow(Duration other) {
        return new Chaos(until, down, other, errors, corrupt);
    }

    public Chaos withErrors(Percent other) {
        return new Chaos(until, down, slow, other, corrupt);
    }

    public Chaos withCorrupt(Percent other) {
        return new Chaos(until, down, slow, errors, other);
    }

    public static Chaos of(String text) {
        var fields = new HashMap<String, String>();
        for (var word : text.strip().split("\\s+")) {
            String[] pair = word.split("=", 2);
            fields.put(pair[0], pair.length == 2 ? pair[1] : "");
        }
        return new Chaos(Instant.parse(fields.get("until")), fields.containsKey("down"),
                Span.of(fields.getOrDefault("slow", "0ms")).duration(),
                Percent.of(fields.getOrDefault("errors", "0%")), Percent.of(fields.getOrDefault("corrupt", "0%")));
    }

    @Override
    public String toString() {
        var text = new StringJoiner(" ").add("until=" + until);
        if (down) {
            text.add("down");
        }
        if (!slow.isZero()) {
            text.add("slow=" + slow.toMillis() + "ms");
        }
        if (errors.value() > 0) {
            text.add("errors=" + errors);
        }
        if (corrupt.value() > 0) {
            text.add("corrupt=" + corrupt);
        }
        return text.toString();
    }
}
