package volsh.volume;

import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import volsh.catalog.Moment;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.catalog.VolumeSpec;
import volsh.engine.MetaEngine;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.history.PastEngine;
import volsh.history.Snapshots;
import volsh.history.UndeleteEngine;
import volsh.meta.Moments;
import volsh.meta.NoSuchMomentException;
import volsh.meta.Session;

/** A past state that a session reads, which stays until this is closed. */
final class PastState implements AutoCloseable {
    private final Moments moments;
    private final Session session;
    private final MetaEngine engine;
    private final long tick;
    private final OptionalLong between;   // it needs every tick from this one on
    private final List<Long> read;

    private PastState(Moments moments, Session session, MetaEngine engine, long tick, OptionalLong between,
            List<Long> read) {
        this.between = between;
        this.read = List.copyOf(read);
        this.moments = moments;
        this.session = session;
        this.engine = engine;
        this.tick = tick;
    }

    /** Lets the session read the volume as it was. @throws Refusal NOT_FOUND, INVALID */
    static PastState enter(VolumeSpec spec, MetaEngine engine, InstantSource clock, Session session, Moment moment)
            throws IOException {
        try {
            var moments = new Moments(engine, clock);
            if (moment instanceof Moment.Removed removed) {
                return enter(moments, engine, session, removed);
            }
            long tick = switch (moment) {
                case Moment.Now() -> moments.enterNow(session.id());
                case Moment.Named(String name) -> entered(moments, session, new Snapshots(engine, clock).find(name)
                        .orElseThrow(() -> noSnapshot(spec.name(), name)).tick());
                case Moment.Time(Instant time) -> entered(moments, session, time.getEpochSecond());
                case Moment.Removed removed -> throw new IllegalStateException(removed.toString());
            };
            return new PastState(moments, session, new PastEngine(engine, tick), tick, OptionalLong.empty(),
                    List.of(tick));
        } catch (NoSuchMomentException none) {
            throw engine.isReadOnly() && none.earliest().isEmpty() ? unseen(spec, none) : refusal(spec, none);
        }
    }

    /** Reads the last tick of a removal and, where it was kept, the one before the first. */
    private static PastState enter(Moments moments, MetaEngine engine, Session session, Moment.Removed removed)
            throws IOException {
        long first = removed.first().getEpochSecond();
        long last = removed.last().getEpochSecond();
        var read = new ArrayList<Long>();
        read.add(entered(moments, session, last));
        try {
            read.add(entered(moments, session, first - 1));
        } catch (NoSuchMomentException none) {
            // history begins with the tick
        }
        return new PastState(moments, session, new UndeleteEngine(engine, first, last, removed.inode()), last,
                first < last ? OptionalLong.of(first) : OptionalLong.empty(), read);
    }

    /** Nothing of it was purged until now: it pins its ends, but not every tick between. @throws FsException STALE */
    void requireKept() throws IOException {
        if (between.isPresent() && moments.earliest().orElse(Long.MAX_VALUE) > between.getAsLong()) {
            throw new FsException(FsError.STALE, "the history of %s was deleted meanwhile: its retention expired"
                    .formatted(time(between.getAsLong())));
        }
    }

    private static long entered(Moments moments, Session session, long tick) throws IOException {
        moments.enter(session.id(), tick);
        return tick;
    }

    static Refusal noSnapshot(String volume, String name) {
        return new Refusal(Reason.NOT_FOUND, "volume '%s' has no snapshot '%s'".formatted(volume, name),
                "volsh snapshot list " + volume);
    }

    /** A token of a path does not even show whether there is a history. */
    private static Refusal unseen(VolumeSpec spec, NoSuchMomentException none) {
        return new Refusal(Reason.NOT_FOUND,
                "volume '%s' is attached here by a token that shows no history: %s cannot be read".formatted(
                spec.name(), time(none.tick())), "as it is now: volsh ls %s:/".formatted(spec.name()));
    }

    static Refusal refusal(VolumeSpec spec, NoSuchMomentException none) {
        var name = spec.name();
        var asked = time(none.tick());
        if (none.isFuture()) {
            return new Refusal(Reason.INVALID, "%s is in the future".formatted(asked), "volsh snapshot list " + name);
        }
        if (none.earliest().isEmpty()) {
            return new Refusal(Reason.NOT_FOUND,
                    "volume '%s' keeps no history but its snapshots: %s cannot be read".formatted(name, asked),
                    "volsh snapshot list " + name, "from now on: volsh volume set %s retention=30d".formatted(name));
        }
        var earliest = time(none.earliest().getAsLong());
        return new Refusal(Reason.NOT_FOUND,
                "the history of volume '%s' begins at %s: %s cannot be read".formatted(name, earliest, asked),
                "volsh ls %s:/ --at %s".formatted(name, earliest), "volsh snapshot list " + name);
    }

    private static Instant time(long tick) {
        return Instant.ofEpochSecond(tick).truncatedTo(ChronoUnit.SECONDS);
    }

    /** The metadata as it was. */
    MetaEngine engine() {
        return engine;
    }

    long tick() {
        return tick;
    }

    @Override
    public void close() throws IOException {
        for (long each : read) {
            moments.leave(session.id(), each);
        }
    }
}
