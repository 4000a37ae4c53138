package volsh.catalog;

import java.time.Duration;
import volsh.unit.Span;

/**
 * For how long a volume keeps what was changed or deleted: {@code 30d}; {@code 0} for not at all, {@code -1} for ever.
 */
public record HistorySpan(long seconds) {
    public static final HistorySpan NONE = new HistorySpan(0);
    public static final HistorySpan FOREVER = new HistorySpan(-1);

    public HistorySpan {
        if (seconds < -1) {
            throw new IllegalArgumentException("history is kept for 0 seconds or more, or -1 for ever: " + seconds);
        }
    }

    /** @throws IllegalArgumentException naming the text and something to try */
    public static HistorySpan of(String text) {
        if (text.equals("0")) {
            return NONE;
        }
        if (text.equals("-1")) {
            return FOREVER;
        }
        try {
            long seconds = Span.of(text).duration().toSeconds();
            return new HistorySpan(seconds);
        } catch (IllegalArgumentException none) {
            throw new IllegalArgumentException("not a retention: '%s' (try 30d, 0 for none, -1 for ever)"
                    .formatted(text), none);
        }
    }

    @Override
    public String toString() {
        return seconds <= 0 ? Long.toString(seconds) : new Span(Duration.ofSeconds(seconds)).toString();
    }
}
