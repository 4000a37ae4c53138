package volsh.command.cache;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import volsh.command.failure.CommandFailure;
import volsh.unit.Span;
import volsh.warm.Wish;

/** The options for how long a pin lasts. */
final class PinTerms {
    @Option(names = "--expires", paramLabel = "TIME",
            description = "End the pin after this time, such as 7d (default: never).")
    private @Nullable Span expires;

    @Option(names = "--drop", description = "Evict the data when the pin expires: a time to live. Needs --expires.")
    private boolean drop;

    Wish.Terms terms() {
        if (drop && expires == null) {
            throw CommandFailure.usage("--drop needs --expires");
        }
        return new Wish.Terms(Optional.ofNullable(expires).map(Span::duration), drop);
    }

    boolean given() {
        return drop || expires != null;
    }
}
