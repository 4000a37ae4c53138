package volsh.block;

import java.time.Duration;
import java.util.Optional;

/**
 * Something that servers of buckets can or cannot do, and what this one answered.
 *
 * @param note    what follows from it, for people; may be empty
 * @param remedy  the option of the URL with which volsh does without it, as {@code name=value}
 * @param latency of the request that decided it
 */
public record Ability(Kind kind, Answer answer, String note, Optional<String> remedy, Duration latency) {
    /** What volsh asks for. */
    public enum Kind {
        CONDITIONAL_PUT("conditional put"),
        CHECKSUM("put checksum"),
        RANGE("range"),
        LIST("list v2"),
        MULTI_DELETE("multi-delete"),
        VERSIONING("versioning");

        private final String words;

        Kind(String words) {
            this.words = words;
        }

        public String words() {
            return words;
        }
    }

    /** What a server said, or did. */
    public enum Answer {
        YES,
        NO,
        /** It accepts the request, and does something else. */
        IGNORED,
        UNKNOWN
    }

    /** Whether volsh needs an option to use such a server. */
    public boolean needsRemedy() {
        return remedy.isPresent();
    }
}
