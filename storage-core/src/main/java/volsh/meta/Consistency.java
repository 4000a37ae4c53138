package volsh.meta;

import java.time.Duration;
import volsh.unit.Span;

/** How fresh what a mount shows of a directory tree has to be. */
public sealed interface Consistency {
    /** Nothing is ever answered from what the kernel remembers: names, attributes and bytes are asked for each time. */
    record Strict() implements Consistency {
        @Override
        public String toString() {
            return "strict";
        }
    }

    /** Names and attributes are asked for each time; bytes are kept as long as the file that is opened is unchanged. */
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

    /** Nothing below changes: what was asked for once is never asked for again, and mounts refuse changes. */
    record Immutable() implements Consistency {
        @Override
        public String toString() {
            return "immutable";
        }
    }

    /** As it is written. @throws IllegalArgumentException naming what there is */
    static Consistency of(String text) {
        return switch (text) {
            case "strict" -> new Strict();
            case "close-to-open" -> new CloseToOpen();
            case "immutable" -> new Immutable();
            default -> {
                if (!text.startsWith("relaxed:")) {
                    throw new IllegalArgumentException(
                            "no such policy: '%s' (try strict, close-to-open, relaxed:30s or immutable)".formatted(text));
                }
                yield new Relaxed(Span.of(text.substring("relaxed:".length())).duration());
            }
        };
    }
}
