package volsh.meta;

import java.io.IOException;

/** How a work ended: what it returned, or what it threw. */
public final class Outcome<R> {
    private final R value;
    private final Throwable thrown;

    private Outcome(R value, Throwable thrown) {
        this.value = value;
        this.thrown = thrown;
    }

    public static <R> Outcome<R> returned(R value) {
        return new Outcome<>(value, null);
    }

    public static <R> Outcome<R> threw(Throwable thrown) {
        return new Outcome<>(null, thrown);
    }

    public boolean hasReturned() {
        return thrown == null;
    }

    /** Ends as the work did. */
    public R result() throws IOException {
        return switch (thrown) {
            case null -> value;
            case IOException refused -> throw refused;
            case RuntimeException mistake -> throw mistake;
            case Error error -> throw error;
            default -> throw new IllegalStateException(thrown);
        };
    }
}
