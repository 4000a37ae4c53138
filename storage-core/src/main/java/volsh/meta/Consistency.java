package volsh.meta;

import java.time.Duration;
import volsh.unit.Span;

/** How fresh a mount's view of a directory tree has to be. */
public sealed interface Consistency {
    /** The kernel caches nothing: names, attributes and bytes are requested each time. */
    record Strict() implements Consistency {
        @Override
        public String toString() {
            return "strict";
        }
    }

    /** Names and attributes are requested each time; cached bytes are kept while the opened file is unchanged. */
    record CloseToOpen() implements Consistency {
        @Override
        public String toString() {
            return "close-to-open";
        }
    }

    /** Names and attributes may be as old as this. */
    record Relaxed(Duration ttl) implements Consistency {
        @Override
        public String toString() {
            return "relaxed:" + new Span(ttl);
        }
    }

    /** Nothing below changes: whatever was read once stays cached, and mounts refuse changes. */
    record Immutable() implements Consistency {
        @Override
        public String toString() {
            return "immutable";
        }
    }

    /** Parses a policy. @throws IllegalArgumentException listing the valid ones */
    static Consistency of(String text) {
        return switch (text) {
            case "strict" -> new Strict();
            case "close-to-open" -> new CloseToOpen();
            case "immutable" -> new Immutable();
            default -> {
                if (!text.startsWith("relaxed:")) {
                    throw new IllegalArgumentException(
                            "unknown consistency policy: '%s' (try strict, close-to-open, relaxed:30s or immutable)"
                                    .formatted(text));
                }
                yield new Relaxed(Span.of(text.substring("relaxed:".length())).duration());
            }
        };
    }
}
