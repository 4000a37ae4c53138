package volsh.script;

import groovy.lang.Closure;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import volsh.unit.Span;

/** Retries a block on transient failures, with exponential backoff. */
final class Retry {
    private final int times;
    private final @Nullable Class<?> on;
    private final Span first;
    private final Span longest;

    Retry(Map<String, ?> how) {
        for (String name : how.keySet()) {
            if (!Set.of("times", "on", "backoff").contains(name)) {
                throw Arguments.usage("retry has no option '" + name + "' (options: times, on, backoff)");
            }
        }
        this.times = how.get("times") instanceof Number number ? number.intValue() : 3;
        this.on = how.get("on") instanceof Class<?> kind ? kind : null;
        String backoff = how.get("backoff") == null ? "1s..30s" : how.get("backoff").toString();
        if (how.get("backoff") instanceof Number number) {
            throw Arguments.bare("backoff", number, Span.class);
        }
        int dots = backoff.indexOf("..");
        this.first = Span.of(dots < 0 ? backoff : backoff.substring(0, dots));
        this.longest = Span.of(dots < 0 ? backoff : backoff.substring(dots + 2));
    }

    Object call(Closure<?> body, Consumer<Span> pause, Consumer<String> tell) {
        Duration wait = first.duration();
        for (int attempt = 1; ; attempt++) {
            try {
                return body.call();
            } catch (Exception failure) {
                if (attempt >= times || !passing(failure)) {
                    failure.addSuppressed(new Note(attempt >= times ? "tried %d times".formatted(attempt)
                            : unfit(failure)));
                    throw ScriptFailures.sneaky(failure);
                }
                tell.accept("attempt %d of %d failed: %s; retrying in %s"
                        .formatted(attempt, times, failure.getMessage(), new Span(wait)));
            }
            pause.accept(new Span(wait));
            wait = wait.multipliedBy(2).compareTo(longest.duration()) > 0 ? longest.duration() : wait.multipliedBy(2);
        }
    }

    private boolean passing(Exception failure) {
        return on != null ? !Explanation.wish(failure) && on.isInstance(failure)
                : failure instanceof VolshException known && known.isRetryable();
    }

    /** Why this failure is not retried. */
    private String unfit(Exception failure) {
        String kind = failure instanceof VolshException known ? " ('" + known.getKind() + "')" : "";
        return on != null ? "not retried: retry(on: %s) does not cover this failure%s"
                        .formatted(on.getSimpleName(), kind)
                : "not retried: this failure%s would repeat; retry(on: Exception) retries all".formatted(kind);
    }
}
