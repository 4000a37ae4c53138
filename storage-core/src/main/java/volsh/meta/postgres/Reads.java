package volsh.meta.postgres;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import volsh.meta.BufferedTransaction.State;
import volsh.meta.MetaEngine.Entry;
import volsh.meta.MetaKey;

/**
 * Everything one run of a work has read, with the answers. Each question sees the last commit, so the answers may be of
 * different states; if the same questions get the same answers in one state, the work is as good as run in it.
 *
 * <p>A failure sticks, whatever the work makes of it: {@link #requireSound} repeats it. Used by one thread.
 */
final class Reads implements State {
    private final PostgresUrl url;
    private final Lane lane;
    private final Map<MetaKey, Optional<Found>> rows = new HashMap<>();
    private final List<Scan> scans = new ArrayList<>();
    private int questions;
    private SQLException failure;

    Reads(PostgresUrl url, Lane lane) {
        this.url = url;
        this.lane = lane;
    }

    record Scan(MetaKey from, MetaKey to, int limit, List<Found> found) {
        byte[] digest() {
            var digest = sha256();
            for (var row : found) {
                byte[] key = row.key().bytes();
                digest.update(ByteBuffer.allocate(key.length + 12).putInt(key.length).put(key).putLong(row.version()).flip());
            }
            return digest.digest();
        }
    }

    @Override
    public byte[] get(MetaKey key) throws IOException {
        if (!rows.containsKey(key)) {
            rows.put(key, ask(() -> lane.get(key)));
        }
        return rows.get(key).map(Found::value).orElse(null);
    }

    @Override
    public Map<MetaKey, byte[]> getAll(Collection<MetaKey> keys) throws IOException {
        var unknown = keys.stream().filter(key -> !rows.containsKey(key)).distinct().toList();
        if (!unknown.isEmpty()) {
            var found = ask(() -> lane.getAll(unknown));
            unknown.forEach(key -> rows.put(key, Optional.empty()));
            found.forEach(row -> rows.put(row.key(), Optional.of(row)));
        }
        var values = new HashMap<MetaKey, byte[]>();
        keys.forEach(key -> rows.get(key).ifPresent(row -> values.put(key, row.value())));
        return values;
    }

    @Override
    public List<Entry> scan(MetaKey from, MetaKey to, int limit) throws IOException {
        var found = ask(() -> lane.scan(from, to, limit));
        scans.add(new Scan(from, to, limit, found));
        return found.stream().map(row -> new Entry(row.key(), row.value())).toList();
    }

    private interface Question<T> {
        T ask() throws SQLException;
    }

    private <T> T ask(Question<T> question) throws IOException {
        if (failure == null) {
            questions++;
            try {
                return question.ask();
            } catch (SQLException failed) {
                failure = failed;
            }
        }
        throw Trouble.of(url, failure);
    }

    /** @throws SQLException what failed, if anything did */
    void requireSound() throws SQLException {
        if (failure != null) {
            throw failure;
        }
    }

    /** Whether all of it is one state without being asked about: one answer always is. */
    boolean isOneState() {
        return questions <= 1;
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
                keys.stream().map(key -> rows.get(key).map(Found::version).orElse(null)).toArray(Long[]::new),
                scans.stream().map(scan -> scan.from().bytes()).toArray(byte[][]::new),
                scans.stream().map(scan -> scan.to().bytes()).toArray(byte[][]::new),
                scans.stream().map(Scan::limit).toArray(Integer[]::new),
                scans.stream().map(Scan::digest).toArray(byte[][]::new));
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
