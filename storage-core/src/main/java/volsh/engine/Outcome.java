package volsh.engine;

import java.io.IOException;

/** The result of a work: what it returned, or what it threw. */
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

    /** Returns or throws as the work did. Without a switch over types, which would slow down every command. */
    public R result() throws IOException {
        if (thrown == null) {
            return value;
        }
        if (thrown instanceof IOException refused) {
            throw refused;
        }
        if (thrown instanceof RuntimeException mistake) {
            throw mistake;
        }
        if (thrown instanceof Error error) {
            throw error;
        }
        throw new IllegalStateException(thrown);
    }
}
