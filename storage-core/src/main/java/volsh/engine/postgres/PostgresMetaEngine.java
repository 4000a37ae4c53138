package volsh.engine.postgres;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import volsh.engine.BufferedTransaction;
import volsh.engine.BufferedTransaction.Writes;
import volsh.engine.HeldKeyMissingException;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.engine.MetaUnavailableException;
import volsh.engine.Outcome;
import volsh.fs.FsError;
import volsh.fs.FsException;

/**
 * Metadata in a schema of a PostgreSQL database, shared by any number of machines.
 *
 * <p>A transaction reads without locks, each question by itself. Its commit is one round trip: a function in the
 * database takes {@link Locks}, checks whether everything that was read is unchanged, and writes. If it has changed,
 * the work is run again. A work that writes nothing takes no locks. In a read, each question carries the earlier
 * answers along, so that consistency costs no extra round trip.
 *
 * <p>Operations wait for a server that is down. If it goes away during a commit, the fate of the commit is determined
 * later; a transaction is never run again unless it is certain that it was not, and never will be, applied.
 */
public final class PostgresMetaEngine implements MetaEngine {
    private static final int OPTIMISTIC_READS = 2;
    private static final Duration CLOCKS_APART_MAX = Duration.ofSeconds(15);
    private static final Writes NOTHING = new Writes(List.of(), List.of(), List.of());

    private final PostgresUrl url;
    private final PostgresLimits limits;
    private final boolean readOnly;
    private final Locks locks;
    private final LongAdder commits = new LongAdder();
    private final LongAdder reruns = new LongAdder();
    private final ServerSilence silence = new ServerSilence();
    private final Lanes lanes;
    private final Schema schema;
    private final Remembered remembered;
    private final Remembered nothing;
    private volatile @Nullable LogFollower following;   // null while not followed

    private PostgresMetaEngine(Schema schema, PostgresLimits limits, boolean readOnly) {
        this.url = schema.url();
        this.readOnly = readOnly;
        this.limits = limits;
        this.locks = new Locks(url.schema());
        this.lanes = new Lanes(schema, limits, silence);
        this.schema = schema;
        this.remembered = new Remembered(limits.pace());
        this.nothing = new Remembered(limits.pace());
    }

    /**
     * Creates an empty volume in the database and opens it.
     * @throws java.nio.file.FileAlreadyExistsException if there is one of this name
     */
    public static PostgresMetaEngine create(PostgresUrl url, UUID volume) throws IOException {
        var schema = new Schema(url, volume);
        inDatabase(url, connection -> {
            schema.create(connection);
            return null;
        });
        return new PostgresMetaEngine(schema, PostgresLimits.of(url), false);
    }

    /**
     * Opens a volume of the database.
     * @throws java.nio.file.NoSuchFileException if there is none of this name, or it is another one
     */
    public static PostgresMetaEngine open(PostgresUrl url, UUID volume) throws IOException {
        return open(url, volume, PostgresLimits.of(url), InstantSource.system());
    }

    static PostgresMetaEngine open(PostgresUrl url, UUID volume, PostgresLimits limits, InstantSource clock)
            throws IOException {
        var schema = new Schema(url, volume);
        boolean readOnly = inDatabase(url, connection -> {
            schema.require(connection);
            requireSameTime(url, connection, clock);
            return url.token().isPresent() && new Tokens(schema).isReadOnly(connection);
        });
        return new PostgresMetaEngine(schema, limits, readOnly);
    }

    /** The tokens of a volume, including revoked ones. */
    public static List<Token> tokens(PostgresUrl url, UUID volume) throws IOException {
        return inDatabase(url, connection -> new Tokens(required(url, volume, connection)).list(connection));
    }

    /** Creates a token. @throws FsException NOT_PERMITTED if the database user may not create roles */
    public static Token.Made createToken(PostgresUrl url, UUID volume, Token.Wish wish) throws IOException {
        return inDatabase(url, connection -> new Tokens(required(url, volume, connection)).create(connection, wish));
    }

    /** Revokes a token and ends the connections that use it. Returns whether there was one to revoke. */
    public static boolean revokeToken(PostgresUrl url, UUID volume, String id) throws IOException {
        return inDatabase(url, connection -> new Tokens(required(url, volume, connection)).revoke(connection, id));
    }

    private static Schema required(PostgresUrl url, UUID volume, Connection connection)
            throws IOException, SQLException {
        if (url.token().isPresent()) {
            throw new FsException(FsError.NOT_PERMITTED, ("permission denied: %s connects by a token, "
                    + "and only the owner of the volume can manage tokens").formatted(url));
        }
        var schema = new Schema(url, volume);
        schema.require(connection);
        return schema;
    }

    /** Machines that share a volume expire each other's sessions by their own clocks: the clocks must agree. */
    private static void requireSameTime(PostgresUrl url, Connection connection, InstantSource clock)
            throws IOException, SQLException {
        try (var statement = connection.createStatement();
                var result = statement.executeQuery("SELECT clock_timestamp()")) {
            result.next();
            var apart = Duration.between(result.getObject(1, OffsetDateTime.class).toInstant(), clock.instant());
            if (apart.abs().compareTo(CLOCKS_APART_MAX) > 0) {
                throw new IOException(("%s: the clock of this machine is %d seconds %s the server's; "
                        + "synchronize it (sessions expire by the clock)")
                        .formatted(url, apart.abs().toSeconds(), apart.isNegative() ? "behind" : "ahead of"));
            }
        }
    }

    /** Removes a volume from the database. Does nothing if it does not exist; another volume of that name stays. */
    public static void drop(PostgresUrl url, UUID volume) throws IOException {
        inDatabase(url, connection -> {
            new Schema(url, volume).drop(connection);
            return null;
        });
    }

    /**
     * Whether this URL connects as the owner of the volume, the only one allowed to drop it. A token never does.
     *
     * @throws java.nio.file.NoSuchFileException if the volume does not exist
     */
    public static boolean isOwner(PostgresUrl url, UUID volume) throws IOException {
        return url.token().isEmpty() && inDatabase(url, connection -> new Schema(url, volume).isOwned(connection));
    }

    /** The names of the volumes in the database. */
    public static List<String> volumes(PostgresUrl url) throws IOException {
        return inDatabase(url, Schema::volumes);
    }

    /** The id of the volume. @throws java.nio.file.NoSuchFileException if there is none of this name */
    public static UUID volume(PostgresUrl url) throws IOException {
        return inDatabase(url, connection -> new Schema(url, new UUID(0, 0)).owner(connection));
    }

    private interface Use<T extends @Nullable Object> {
        T run(Connection connection) throws IOException, SQLException;
    }

    /** A server that accepts the connection but does not answer times out like one that is down. */
    private static <T extends @Nullable Object> T inDatabase(PostgresUrl url, Use<T> use) throws IOException {
        try (var connection = new PostgresConnections(url)
                .open(new OutageRetry(PostgresLimits.of(url).patience()).answerMillis())) {
            return use.run(connection);
        } catch (SQLException failed) {
            if (PostgresFailures.isOutage(failed)) {
                throw new MetaUnavailableException("%s: %s".formatted(url, PostgresFailures.said(url, failed)), failed);
            }
            throw PostgresFailures.of(url, failed);
        }
    }

    @Override
    public <R extends @Nullable Object> R transact(Work<R> work) throws IOException {
        return insist((lane, attempt) -> {
            if (attempt > 1) {
                reruns.increment();
            }
            var reads = PostgresReads.forWriting(url, lane, attempt == 1 ? remembered : nothing);
            var transaction = BufferedTransaction.writing(reads);
            var outcome = transaction.run(work);
            reads.requireSound();
            var writes = NOTHING;
            if (outcome.hasReturned()) {
                try {
                    writes = transaction.writes();
                } catch (IOException | RuntimeException refused) {
                    outcome = Outcome.threw(refused);
                }
            }
            var verdict = writes.isEmpty() ? checked(lane, reads, writes) : committed(lane, reads, writes);
            if (!writes.isEmpty() && verdict instanceof Verdict.Good) {
                commits.increment();
                tellWritten(writes);
            }
            return outcomeOf(verdict, outcome);
        });
    }

    @Override
    public Counts counts() {
        return new Counts(commits.sum(), reruns.sum());
    }

    @Override
    public <R extends @Nullable Object> R read(Work<R> work) throws IOException {
        return insist((lane, attempt) -> attempt <= OPTIMISTIC_READS
                ? readOptimistically(lane, attempt == 1 ? remembered : nothing, work)
                : readSnapshot(lane, PostgresReads.forWriting(url, lane, nothing), work));
    }

    @Override
    public <R extends @Nullable Object> R survey(Work<R> work) throws IOException {
        return insist((lane, _) -> readSnapshot(lane, PostgresReads.surveying(url, lane, nothing), work));
    }

    private <R extends @Nullable Object> Optional<Outcome<R>> readOptimistically(Lane lane, Remembered known,
            Work<R> work) throws SQLException {
        var reads = PostgresReads.together(url, lane, known);
        var outcome = BufferedTransaction.reading(reads).run(work);
        reads.requireSound();
        if (reads.isStale()) {
            return Optional.empty();
        }
        var follows = following;
        if (!reads.isOneState() && follows != null && reads.mayAskLog() && follows.catchUp()) {
            return reads.hasChanged() ? Optional.empty() : Optional.of(outcome);
        }
        return outcomeOf(checked(lane, reads, NOTHING), outcome);
    }

    /** Costs two more round trips, but concurrent writers cannot interfere: all questions see the same state. */
    private <R extends @Nullable Object> Optional<Outcome<R>> readSnapshot(Lane lane, PostgresReads reads,
            Work<R> work) throws SQLException {
        lane.beginSnapshot();
        try {
            var outcome = BufferedTransaction.reading(reads).run(work);
            reads.requireSound();
            return Optional.of(outcome);
        } finally {
            lane.endSnapshot();
        }
    }

    private void tellWritten(Writes writes) {
        var follows = following;
        if (follows != null) {
            remembered.written(writes.rows().stream().map(BufferedTransaction.Row::key).toList());
            remembered.written(writes.sums().stream().map(BufferedTransaction.Sum::key).toList());
            follows.written();
        }
    }

    private static Verdict checked(Lane lane, PostgresReads reads, Writes writes) throws SQLException {
        return reads.isOneState() && writes.held().isEmpty() ? new Verdict.Good()
                : lane.check(reads.evidence(), writes.held());
    }

    private Verdict committed(Lane lane, PostgresReads reads, Writes writes) throws IOException, SQLException {
        try {
            return lane.apply(locks.of(reads, writes), reads.evidence(), writes);
        } catch (SQLException failed) {
            if (lane.isDoubtful() && lane.isLost(failed)) {
                return settled(lane, failed);
            }
            lane.refused();
            throw failed;
        }
    }

    /** Determines the fate of a commit whose answer was lost. */
    private Verdict settled(Lane lane, SQLException lost) throws IOException {
        var patience = lane.patience().rest();
        lane.within(patience);
        try {
            while (true) {
                lane.disconnect();
                try {
                    return lane.wasApplied() ? new Verdict.Good() : new Verdict.Stale();
                } catch (SQLException again) {
                    requireHope(patience, lost, again);
                }
                patience.pauseInOutage();
            }
        } finally {
            patience.restoreInterrupt();
        }
    }

    private void requireHope(OutageRetry patience, SQLException lost, SQLException again) throws IOException {
        if (PostgresFailures.isRefused(again)) {
            var refused = PostgresFailures.of(url, again);
            refused.addSuppressed(lost);
            throw refused;
        }
        if (patience.isOver()) {
            lost.addSuppressed(again);
            throw new IOException(("%s: the connection was lost during a commit, and the server has not been reachable "
                    + "for %d seconds:" + " the change may or may not have been made (%s)")
                    .formatted(url, limits.patience().toSeconds(), PostgresFailures.said(url, again)), lost);
        }
    }

    /** Empty if the work has to be run again. */
    private static <R extends @Nullable Object> Optional<Outcome<R>> outcomeOf(Verdict verdict, Outcome<R> outcome) {
        return switch (verdict) {
            case Verdict.Good() -> Optional.of(outcome);
            case Verdict.Stale() -> Optional.empty();
            case Verdict.Missing(MetaKey key) -> Optional.of(Outcome.threw(new HeldKeyMissingException(key)));
        };
    }

    private interface Attempt<R extends @Nullable Object> {
        /** Empty on a conflict. {@code attempt} counts from 1. */
        Optional<Outcome<R>> run(Lane lane, int attempt) throws IOException, SQLException;
    }

    /** Retries until done or timed out. An interrupt is kept for the caller: the outcome is never left open. */
    private <R extends @Nullable Object> R insist(Attempt<R> attempt) throws IOException {
        var patience = new OutageRetry(limits.patience());
        silence.begin();
        try {
            for (int count = 1; ; count++) {
                int number = count;
                var outcome = once(patience, lane -> attempt.run(lane, number));
                if (outcome.isPresent()) {
                    return outcome.get().result();
                }
            }
        } finally {
            silence.end();
            patience.restoreInterrupt();
        }
    }

    private <R extends @Nullable Object> Optional<Outcome<R>> once(OutageRetry patience,
            Lanes.Use<Optional<Outcome<R>>> use) throws IOException {
        try {
            var outcome = lanes.use(patience, use);
            if (outcome.isEmpty()) {
                requirePatience(patience, "conflicts with other writers", null);
                patience.pauseAfterConflict();
            }
            return outcome;
        } catch (SQLException failed) {
            if (PostgresFailures.isOutage(failed)) {
                requirePatience(patience, PostgresFailures.said(url, failed), failed);
                patience.pauseInOutage();
            } else if (PostgresFailures.isConflict(failed)) {
                requirePatience(patience, PostgresFailures.said(url, failed), failed);
                patience.pauseAfterConflict();
            } else {
                throw PostgresFailures.of(url, failed);
            }
            return Optional.empty();
        }
    }

    private void requirePatience(OutageRetry patience, String words, @Nullable SQLException cause) throws IOException {
        if (patience.isOver()) {
            throw new MetaUnavailableException("%s: timed out after %d seconds, nothing was written: %s"
                    .formatted(url, patience.longest().toSeconds(), words), cause);
        }
    }

    /** A token may not see everything, and so not the log of changes: its client asks each time. */
    @Override
    public Following follow(Follower follower) {
        if (url.token().isPresent()) {
            return () -> {};
        }
        var connections = new PostgresConnections(url);
        var begun = new LogFollower(new ChangeLog(connections, schema, remembered, follower), connections, schema,
                lanes, limits.pace());
        begun.start();
        following = begun;
        return () -> {
            following = null;
            begun.close();
        };
    }

    /** Whether the row is remembered now. */
    boolean remembers(MetaKey key) {
        return remembered.recall(key, new HashMap<>());
    }

    @Override
    public boolean countsEntries() {
        return false;
    }

    @Override
    public Duration silence() {
        return silence.lasts();
    }

    /** Whether it is open by a read-only token. */
    @Override
    public boolean isReadOnly() {
        return readOnly;
    }

    /** Nothing to do: a commit is on the server's disk when it returns, see {@link PostgresConnections}. */
    @Override
    public void sync() throws IOException {
        lanes.requireOpen();
    }

    @Override
    public void close() {
        var follows = following;
        if (follows != null) {
            following = null;
            follows.close();
        }
        lanes.close();
    }
}
