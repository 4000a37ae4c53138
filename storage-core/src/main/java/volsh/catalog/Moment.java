package volsh.catalog;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.OptionalLong;
import volsh.meta.Snapshot;
import volsh.unit.Span;

/** A state of a volume in the past: that of a snapshot, or that at the end of a second. */
public sealed interface Moment {
    /** The text form of a time behind a volume's name: without colons, which end a volume. */
    DateTimeFormatter COMPACT = DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

    /** As it is behind the volume's name: {@code VOLUME@v1}, {@code VOLUME@20261101T100000Z}. */
    String suffix();

    record Named(String snapshot) implements Moment {
        public Named {
            Snapshot.requireName(snapshot);
        }

        @Override
        public String suffix() {
            return snapshot;
        }

        @Override
        public String toString() {
            return "@" + snapshot;
        }
    }

    record Time(Instant time) implements Moment {
        public Time {
            time = time.truncatedTo(ChronoUnit.SECONDS);
        }

        @Override
        public String suffix() {
            return COMPACT.format(time);
        }

        @Override
        public String toString() {
            return time.toString();
        }
    }

    /**
     * The end of a removal, with all that was removed in its seconds still there: a name leads to what it led to last,
     * or to this inode if it was one of several.
     *
     * @param first the second in which the removal began
     */
    record Removed(Instant first, Instant last, OptionalLong inode) implements Moment {
        public Removed {
            first = first.truncatedTo(ChronoUnit.SECONDS);
            last = last.truncatedTo(ChronoUnit.SECONDS);
        }

        /** The second to name: the removal's, or the one before if it took several. */
        private Instant time() {
            return first.equals(last) ? last : first.minusSeconds(1);
        }

        @Override
        public String suffix() {
            return COMPACT.format(time());
        }

        @Override
        public String toString() {
            return time().toString();
        }
    }

    /** Everything that is committed when it is opened. */
    record Now() implements Moment {
        @Override
        public String suffix() {
            return "now";
        }
    }

    /**
     * Reads what people write: {@code @v1}, {@code -2h}, {@code 2026-11-01T10:00Z}, {@code 2026-11-01} (its first
     * second, UTC).
     */
    static Moment of(String text, Instant now) {
        try {
            if (text.startsWith("@")) {
                return behindName(text.substring(1));
            }
            if (text.startsWith("-")) {
                return new Time(now.minus(Span.of(text.substring(1)).duration()));
            }
            return new Time(text.contains("T") ? OffsetDateTime.parse(text).toInstant()
                    : LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant());
        } catch (DateTimeException | IllegalArgumentException none) {
            throw new IllegalArgumentException("not a time: '%s' (try 2026-11-01T10:00Z, -2h or @SNAPSHOT)"
                    .formatted(text), none);
        }
    }

    /** Reads what is behind the {@code @} of {@code VOLUME@...}. */
    static Moment behindName(String text) {
        if (!Snapshot.isTime(text)) {
            return new Named(text);
        }
        try {
            return new Time(COMPACT.parse(text, Instant::from));
        } catch (DateTimeException none) {
            throw new IllegalArgumentException("not a time: '%s' (try 20261101T100000Z)".formatted(text), none);
        }
    }
}
