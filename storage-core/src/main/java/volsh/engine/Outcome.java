package volsh.engine;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** How a work ended: what it returned, or what it threw. */
public sealed interface Outcome<R extends @Nullable Object> {
    boolean hasReturned();

    /** Ends as the work did. */
    R result() throws IOException;

    static <R extends @Nullable Object> Outcome<R> returned(R value) {
        return new Returned<>(value);
    }

    static <R extends @Nullable Object> Outcome<R> threw(Throwable thrown) {
        return new Threw<>(thrown);
    }

    record Returned<R extends @Nullable Object>(R value) implements Outcome<R> {
        @Override
        public boolean hasReturned() {
            return true;
        }

        @Override
        public R result() {
            return value;
        }
    }

    record Threw<R extends @Nullable Object>(Throwable thrown) implements Outcome<R> {
        @Override
        public boolean hasReturned() {
            return false;
        }

        /** Without a switch over types: commands come here, and would have to link it first. */
        @Override
        public R result() throws IOException {
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
}
