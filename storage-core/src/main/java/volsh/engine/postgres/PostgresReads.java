package volsh.engine.postgres;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import volsh.engine.BufferedTransaction.State;
import volsh.engine.MetaDamagedException;
import volsh.engine.MetaEngine.Entry;
import volsh.engine.MetaEngine.Leads;
import volsh.engine.MetaKey;

/**
 * Everything one run of a work has read, with the answers. If the same questions get the same answers in one state, the
 * work is equivalent to one run in that state. For a work that will write, each question sees the last commit, and the
 * commit checks all answers again. For one that only reads, each question carries the earlier answers along, so that
 * all answers are from the state of the last one; if that is impossible, the work has to be run again. {@link
 * Remembered} rows are not requested, but are checked with the rest.
 *
 * <p>A failure is remembered, whatever the work does with it: {@link #requireSound} repeats it. Used by one thread.
 */
final class PostgresReads implements State {
    private static final int QUESTIONS_TAKEN_ALONG_MAX = 16;
    private static final int ROWS_TAKEN_ALONG_MAX = 1024;

    private final PostgresUrl url;
    private final Lane lane;
    private final boolean together;
    private final boolean surveying;
    private final Remembered remembered;
    private final long round;
    private final Map<MetaKey, Optional<Found>> rows = new HashMap<>();
    private final List<Scan> scans = new ArrayList<>();
    private int questions;
    private boolean oneState = true;
    private boolean recalled;
    private boolean stale;
    private @Nullable SQLException failure;

    private PostgresReads(PostgresUrl url, Lane lane, boolean together, boolean surveying, Remembered remembered) {
        this.url = url;
        this.lane = lane;
        this.together = together;
        this.surveying = surveying;
        this.remembered = remembered;
        this.round = remembered.round();
    }

    /** For a work whose commit will check everything. */
    static PostgresReads forWriting(PostgresUrl url, Lane lane, Remembered remembered) {
        return new PostgresReads(url, lane, false, false, remembered);
    }

    /** For a work that only reads. */
    static PostgresReads together(PostgresUrl url, Lane lane, Remembered remembered) {
        return new PostgresReads(url, lane, true, false, remembered);
    }

    /** For a work that only reads, and gets damaged rows marked as such. Neither uses nor fills the remembered rows. */
    static PostgresReads surveying(PostgresUrl url, Lane lane, Remembered nothing) {
        return new PostgresReads(url, lane, false, true, nothing);
    }

    record Scan(MetaKey from, MetaKey to, int limit, List<Found> found) {
        byte[] digest() {
            var digest = Found.sha256();
            for (var row : found) {
                byte[] key = row.key().bytes();
                digest.update(ByteBuffer.allocate(key.length + 12).putInt(key.length).put(key).putLong(row.version())
                        .flip());
            }
            return digest.digest();
        }
    }

    @Override
    public byte @Nullable [] get(MetaKey key) throws IOException {
        if (!knows(key)) {
            long asked = remembered.round();
            learn(asked, key, ask(new Question.Get(key)).stream().findFirst());
        }
        return known(key).filter(row -> !row.isDamaged()).map(Found::value).orElse(null);
    }

    @Override
    public Map<MetaKey, byte[]> getAll(Collection<MetaKey> keys) throws IOException {
        var unknown = keys.stream().filter(key -> !knows(key)).distinct().toList();
        if (!unknown.isEmpty()) {
            long asked = remembered.round();
            var found = new HashMap<MetaKey, Found>();
            ask(new Question.GetAll(unknown)).forEach(row -> found.put(row.key(), row));
            unknown.forEach(key -> learn(asked, key, Optional.ofNullable(found.get(key))));
        }
        var values = new HashMap<MetaKey, byte[]>();
        keys.forEach(key -> known(key).filter(row -> !row.isDamaged())
                .ifPresent(row -> values.put(key, row.value())));
        return values;
    }

    @Override
    public void expect(Collection<MetaKey> keys, Leads leads) throws IOException {
        var unknown = new LinkedHashSet<MetaKey>();
        var leading = new ArrayList<MetaKey>();
        keys.stream().filter(key -> !knows(key)).forEach(unknown::add);
        for (var from : leads.from()) {
            if (knows(from)) {
                known(from).flatMap(row -> leads.to(row.value())).filter(to -> !knows(to)).ifPresent(unknown::add);
            } else {
                unknown.add(from);
                leading.add(from);
            }
        }
        if (leading.isEmpty()) {
            getAll(unknown);
            return;
        }
        long asked = remembered.round();
        var found = new HashMap<MetaKey, Found>();
        ask(new Question.GetNamed(List.copyOf(unknown), new Leads(leading, leads.kind(), leads.offset())))
                .forEach(row -> found.put(row.key(), row));
        for (var from : leading) {
            Optional.ofNullable(found.get(from)).flatMap(row -> leads.to(row.value()))
                    .filter(to -> !rows.containsKey(to)).ifPresent(unknown::add);
        }
        unknown.forEach(key -> learn(asked, key, Optional.ofNullable(found.get(key))));
    }

    @Override
    public List<Entry> scan(MetaKey from, MetaKey to, int limit) throws IOException {
        var known = remembered.recall(from, to, limit);
        var scan = known.isPresent() ? known.get() : asked(from, to, limit);
        recalled |= known.isPresent();
        oneState &= known.isEmpty();
        scans.add(scan);
        return scan.found().stream().map(row -> new Entry(row.key(), row.value(), row.isDamaged())).toList();
    }

    private Scan asked(MetaKey from, MetaKey to, int limit) throws IOException {
        long asked = remembered.round();
        var scan = new Scan(from, to, limit, ask(new Question.Scan(from, to, limit)));
        remembered.learn(asked, scan);
        return scan;
    }

    /** A row that was read. */
    private Optional<Found> known(MetaKey key) {
        return Objects.requireNonNull(rows.get(key));
    }

    /** Whether it was read before, by this work or another. */
    private boolean knows(MetaKey key) {
        if (rows.containsKey(key)) {
            return true;
        }
        boolean known = remembered.recall(key, rows);
        recalled |= known;
        oneState &= !known;
        return known;
    }

    private void learn(long asked, MetaKey key, Optional<Found> found) {
        rows.put(key, found);
        remembered.learn(asked, key, found);
    }

    private List<Found> ask(Question question) throws IOException {
        requireFresh();
        questions++;
        boolean first = rows.isEmpty() && scans.isEmpty();
        boolean along = together && !first && mayTakeAlong();
        try {
            var found = lane.ask(question, along ? evidence() : null);
            oneState = first || along;
            stale = found.isEmpty();
            requireFresh();
            requireUndamaged(found.get());
            return found.get();
        } catch (SQLException failed) {
            failure = failed;
            throw PostgresFailures.of(url, failed);
        }
    }

    private void requireUndamaged(List<Found> found) throws IOException {
        if (!surveying) {
            for (var row : found) {
                if (row.isDamaged()) {
                    throw MetaDamagedException.checksum(row.key());
                }
            }
        }
    }

    /** Not in a long read: what is carried along is checked again each time. */
    private boolean mayTakeAlong() {
        return questions <= QUESTIONS_TAKEN_ALONG_MAX
                && rows.size() + scans.stream().mapToInt(scan -> scan.found().size()).sum() <= ROWS_TAKEN_ALONG_MAX;
    }

    /** Keeps a work from continuing with inconsistent answers. */
    private void requireFresh() throws IOException {
        if (failure != null) {
            throw PostgresFailures.of(url, failure);
        }
        if (stale) {
            throw new IOException("conflict with another writer; retrying");
        }
    }

    /** Whether the answers are already known to be inconsistent. */
    boolean isStale() {
        return stale;
    }

    /** @throws SQLException the failure, if there was one */
    void requireSound() throws SQLException {
        if (failure != null) {
            throw failure;
        }
    }

    /** Whether everything is from one state without further checks. */
    boolean isOneState() {
        return oneState;
    }

    /** Whether some of it was remembered, and the log can tell whether any of it has changed. */
    boolean mayAskLog() {
        return recalled && rows.keySet().stream().allMatch(Remembered::isLogged)
                && scans.stream().allMatch(Remembered::isLogged);
    }

    /** Whether, according to the log, any of it was changed since the work began, or may have been. */
    boolean hasChanged() {
        return remembered.hasChanged(round, rows.keySet(), scans);
    }

    /** The single rows. */
    Collection<MetaKey> keys() {
        return rows.keySet();
    }

    List<Scan> scans() {
        return scans;
    }

    Evidence evidence() {
        var keys = rows.keySet().stream().sorted().toList();
        return new Evidence(
                keys.stream().map(MetaKey::bytes).toArray(byte[][]::new),
                keys.stream().map(key -> known(key).map(Found::version).orElse(null)).toArray(Long[]::new),
                scans.stream().map(scan -> scan.from().bytes()).toArray(byte[][]::new),
                scans.stream().map(scan -> scan.to().bytes()).toArray(byte[][]::new),
                scans.stream().map(Scan::limit).toArray(Integer[]::new),
                scans.stream().map(Scan::digest).toArray(byte[][]::new));
    }
}
