package volsh.volume;

import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import volsh.catalog.Host;

/**
 * How safe a file is, at one moment.
 *
 * @param since when its bytes reached this state: when the oldest was staged, the last was stored, or the metadata was
 *              shipped; empty if that is unknown
 * @param where the host that the bytes depend on
 */
public record Durability(State state, Optional<Instant> since, String where) {
    /** From the least safe to the safest. */
    public enum State {
        /**
         * Some bytes are only in memory, of a mount or of a journal there: they go with its process, or with a restart
         * of the host.
         */
        BUFFERED,
        /** All bytes survive power loss, some of them only on the disk of one host. */
        STAGED,
        /** All bytes are in the store; the metadata that says which are the file's is on one host. */
        STORED,
        /** Bytes and metadata are in the store: the file survives the loss of every host. */
        COMMITTED,
        /** And it survives the loss of any one store of the volume as well. */
        REPLICATED;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** @throws IllegalArgumentException unless it is one of them */
        public static State of(String text) {
            for (var state : values()) {
                if (state.toString().equals(text)) {
                    return state;
                }
            }
            throw new IllegalArgumentException("not a state: '%s' (try committed)".formatted(text));
        }
    }

    /** Bytes are in the memory of a process of this host. */
    public static Durability buffered() {
        return new Durability(State.BUFFERED, Optional.empty(), Host.name());
    }

    public boolean isAtLeast(State wanted) {
        return state.compareTo(wanted) >= 0;
    }

    /** What is true of both files together. */
    public Durability and(Durability other) {
        int order = state.compareTo(other.state);
        boolean mine = order < 0 || order == 0 && since.isPresent()
                && (other.since.isEmpty() || since.get().isBefore(other.since.get()));
        return mine ? this : other;
    }
}
