package volsh.inventory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import volsh.engine.Keys;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.meta.Session;

/**
 * Decides which session collects garbage: one at a time, and not too often. A dead session does not block others. This
 * only limits the load: two at once would do no harm.
 */
public final class GcTurns {
    private static final MetaKey KEY = MetaKey.of((byte) 'y', (byte) 'g');
    private static final int FORMAT = 1;

    private final MetaEngine engine;
    private final InstantSource clock;
    private final long session;

    /** {@code session} collects; 0 for read-only use. */
    public GcTurns(MetaEngine engine, InstantSource clock, long session) {
        this.engine = engine;
        this.clock = clock;
        this.session = session;
    }

    /**
     * The session that collects now, if any, and the last results.
     *
     * @param running since when, or the epoch if no session collects
     * @param purged  when history was last purged, or the epoch
     * @param swept   when objects were last swept, or the epoch
     */
    public record State(long session, Instant running, Instant purged, Instant swept, long versions, long objects,
            long bytes) {
        static final State NONE = new State(0, Instant.EPOCH, Instant.EPOCH, Instant.EPOCH, 0, 0, 0);

        public boolean isRunning() {
            return !running.equals(Instant.EPOCH);
        }

        byte[] toBytes() {
            return ByteBuffer.allocate(1 + 7 * Long.BYTES).put((byte) FORMAT).putLong(session)
                    .putLong(running.getEpochSecond())
                    .putLong(purged.getEpochSecond()).putLong(swept.getEpochSecond()).putLong(versions).putLong(objects)
                    .putLong(bytes).array();
        }

        static State parse(byte @Nullable [] row) {
            if (row == null) {
                return NONE;
            }
            var in = ByteBuffer.wrap(row);
            int format = in.get();
            if (format != FORMAT) {
                throw new IllegalStateException("unsupported gc row format " + format + ": this volsh supports "
                        + FORMAT);
            }
            return new State(in.getLong(), Instant.ofEpochSecond(in.getLong()), Instant.ofEpochSecond(in.getLong()),
                    Instant.ofEpochSecond(in.getLong()), in.getLong(), in.getLong(), in.getLong());
        }
    }

    /** What is due: history, objects, or both. */
    public record Turn(boolean purge, boolean sweep) {}

    public State state() throws IOException {
        return engine.read(tx -> State.parse(tx.get(KEY)));
    }

    /** Begins what is due; empty if nothing is, or another session is collecting. */
    public Optional<Turn> begin(Duration purgeEvery, Duration sweepEvery) throws IOException {
        return engine.transactFreeing(tx -> {
            tx.hold(Keys.session(session));
            var state = State.parse(tx.get(KEY));
            var now = clock.instant();
            byte[] other = tx.get(Keys.session(state.session()));
            if (state.isRunning() && other != null && !Session.parse(state.session(), other).lease().isBefore(now)) {
                return Optional.empty();
            }
            var turn = new Turn(!now.isBefore(state.purged().plus(purgeEvery)),
                    !now.isBefore(state.swept().plus(sweepEvery)));
            if (!turn.purge() && !turn.sweep()) {
                return Optional.empty();
            }
            tx.put(KEY, new State(session, now, state.purged(), state.swept(), state.versions(), state.objects(),
                    state.bytes()).toBytes());
            return Optional.of(turn);
        });
    }

    /** Whether the turn that was begun here still belongs to this session. */
    public boolean isMine() throws IOException {
        var state = state();
        return state.isRunning() && state.session() == session;
    }

    /** Ends the turn with its results. */
    public void end(Turn turn, long versions, long objects, long bytes) throws IOException {
        change(state -> new State(session, Instant.EPOCH, turn.purge() ? clock.instant() : state.purged(),
                turn.sweep() ? clock.instant() : state.swept(), versions, objects, bytes));
    }

    /** Ends the turn unfinished: it is resumed soon, by this session or another. */
    public void giveUp() throws IOException {
        change(state -> new State(session, Instant.EPOCH, state.purged(), state.swept(), state.versions(),
                state.objects(), state.bytes()));
    }

    private interface Change {
        State of(State before);
    }

    private void change(Change change) throws IOException {
        engine.transactFreeing(tx -> {
            tx.hold(Keys.session(session));
            var state = State.parse(tx.get(KEY));
            if (state.session() == session) {
                tx.put(KEY, change.of(state).toBytes());
            }
            return null;
        });
    }
}
