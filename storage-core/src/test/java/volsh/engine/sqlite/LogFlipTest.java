package volsh.engine.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static volsh.engine.MetaEngineContract.put;
import static volsh.engine.MetaEngineContract.read;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.engine.MetaDamagedException;
import volsh.engine.sqlite.WriteAheadLog.Mark;
import volsh.meta.ChildJvm;

/**
 * The log that a killed process leaves, with bits flipped and ends cut off, and as power loss leaves it: promised
 * commits are there, or an error is.
 */
final class LogFlipTest {
    private static final int FLIPS = Boolean.getBoolean("volsh.long") ? 1_000 : 40;
    private static final int ROWS = 60;
    private static final List<String> FILES = List.of("meta.db", "meta.db-wal", "meta.db-tip");
    private static final int PAGE = 4096;

    @TempDir
    Path directory;
    private long seed;
    private Random random;

    @BeforeEach
    void seed() {
        seed = Long.getLong("volsh.seed", System.nanoTime());
        random = new Random(seed);
        System.out.println("log flips: seed " + seed);
    }

    private DatabaseFile file(Path place) {
        return DatabaseFile.at(place.resolve("meta.db"));
    }

    /**
     * Files as a killed process leaves them, elsewhere: rows up to {@code synced} were synced, the others committed.
     */
    private Path leave(int synced, int rows) throws Exception {
        var live = Files.createDirectory(directory.resolve("live"));
        var left = Files.createDirectory(directory.resolve("left"));
        try (var engine = SqliteMetaEngine.create(live.resolve("meta.db"))) {
            for (int i = 0; i < rows; i++) {
                put(engine, "row-" + i, "value " + i);
                if (i + 1 == synced) {
                    engine.sync();
                }
            }
            copy(live, left);
        }
        return left;
    }

    private static void copy(Path from, Path to) throws IOException {
        for (var name : FILES) {
            Files.copy(from.resolve(name), to.resolve(name));
        }
    }

    private static void flip(Path path, long bit) throws IOException {
        try (var file = new RandomAccessFile(path.toFile(), "rw")) {
            file.seek(bit / 8);
            int before = file.read();
            file.seek(bit / 8);
            file.write(before ^ 1 << bit % 8);
        }
    }

    private static void requireRows(SqliteMetaEngine engine, int rows) throws IOException {
        for (int i = 0; i < rows; i++) {
            assertThat(read(engine, "row-" + i)).isEqualTo("value " + i);
        }
    }

    /** Opens a copy; whether damage was told. All rows up to {@code promised} are there otherwise. */
    private boolean isTold(Path left, int promised, Change change) throws Exception {
        var place = Files.createTempDirectory(directory, "copy");
        copy(left, place);
        change.in(place);
        byte[] log = Files.readAllBytes(place.resolve("meta.db-wal"));
        try (var engine = SqliteMetaEngine.open(place.resolve("meta.db"))) {
            requireRows(engine, promised);
            return false;
        } catch (MetaDamagedException told) {
            assertThat(told).hasMessageContaining("meta.db-wal: the log of the metadata is damaged");
            assertThat(Files.readAllBytes(place.resolve("meta.db-wal"))).as("the log is left as it is").isEqualTo(log);
            return true;
        } finally {
            try (var all = Files.list(place)) {
                for (var each : all.toList()) {
                    Files.delete(each);
                }
            }
            Files.delete(place);
        }
    }

    private interface Change {
        void in(Path place) throws Exception;
    }

    @Test
    void everyFlippedBitOfASyncedLogIsTold() throws Exception {
        var left = leave(ROWS, ROWS);
        long size = Files.size(left.resolve("meta.db-wal"));
        assertThat(isTold(left, ROWS, place -> {})).isFalse();
        int told = 0;
        for (int i = 0; i < FLIPS; i++) {
            long bit = i < 32 ? 8L * i + random.nextInt(8) : random.nextLong(8 * size);
            told += isTold(left, ROWS, place -> flip(place.resolve("meta.db-wal"), bit)) ? 1 : 0;
        }
        assertThat(told).as("seed %d: flips told", seed).isEqualTo(FLIPS);
    }

    @Test
    void aSyncedLogThatIsCutOffIsTold() throws Exception {
        var left = leave(ROWS, ROWS);
        long size = Files.size(left.resolve("meta.db-wal"));
        for (int i = 0; i < FLIPS / 4; i++) {
            long length = WriteAheadLog.HEADER_BYTES + random.nextLong(size - WriteAheadLog.HEADER_BYTES);
            boolean told = isTold(left, ROWS, place -> {
                try (var log = new RandomAccessFile(place.resolve("meta.db-wal").toFile(), "rw")) {
                    log.setLength(length);
                }
            });
            assertThat(told).as("seed %d: %d of %d", seed, length, size).isTrue();
        }
    }

    @Test
    void aTipThatIsDamagedSaysNothing() throws Exception {
        var left = leave(ROWS, ROWS);
        for (int i = 0; i < FLIPS / 4; i++) {
            long bit = random.nextLong(8L * LogTip.BYTES);
            assertThat(isTold(left, ROWS, place -> flip(place.resolve("meta.db-tip"), bit))).isFalse();
        }
        assertThat(isTold(left, ROWS, place -> Files.write(place.resolve("meta.db-tip"), new byte[10]))).isFalse();
        assertThat(isTold(left, ROWS, place -> Files.delete(place.resolve("meta.db-tip")))).isFalse();
    }

    /**
     * Whole pages that were not synced are as they were before, in any combination: what was synced is there, and
     * nothing is refused.
     */
    @Test
    void powerLossOfWhatWasNotSyncedIsNoDamage() throws Exception {
        int synced = 20;
        var left = leave(synced, ROWS);
        var tip = LogTip.read(file(left)).orElseThrow();
        int safe = WriteAheadLog.HEADER_BYTES + tip.mark().frames() * WriteAheadLog.FRAME_BYTES;
        for (int i = 0; i < FLIPS / 2; i++) {
            assertThat(isTold(left, synced, place -> losePages(place.resolve("meta.db-wal"), safe))).as("seed %d", seed)
                    .isFalse();
        }
    }

    private void losePages(Path path, int safe) throws IOException {
        byte[] log = Files.readAllBytes(path);
        for (int from = safe; from < log.length; from = (from / PAGE + 1) * PAGE) {
            if (random.nextInt(3) == 0) {
                Arrays.fill(log, from, Math.min(log.length, (from / PAGE + 1) * PAGE), (byte) 0);
            }
        }
        Files.write(path,
                random.nextBoolean() ? log : Arrays.copyOf(log, safe + random.nextInt(log.length - safe + 1)));
    }

    /** An older tip says nothing of a log that was begun anew since. */
    @Test
    void aLogThatWasBegunAnewIsNotComparedWithAnOldTip() throws Exception {
        var live = Files.createDirectory(directory.resolve("live"));
        var left = Files.createDirectory(directory.resolve("left"));
        var limits = new SqliteLimits(java.time.Duration.ofSeconds(30), java.time.Duration.ofSeconds(1), 64 << 10,
                128 << 10, 4);
        SqliteMetaEngine.create(live.resolve("meta.db")).close();
        try (var engine = SqliteMetaEngine.open(live.resolve("meta.db"), limits)) {
            put(engine, "row-0", "value 0");
            engine.sync();
            byte[] tip = Files.readAllBytes(live.resolve("meta.db-tip"));
            var first = LogTip.read(file(live)).orElseThrow().mark();
            for (int i = 1; salts(live) == first.salts(); i++) {
                put(engine, "row-" + i, "value " + i);
            }
            copy(live, left);
            Files.write(left.resolve("meta.db-tip"), tip);
        }
        assertThat(isTold(left, 1, place -> {})).isFalse();
        assertThat(isTold(left, 1, place -> flip(place.resolve("meta.db-wal"), 8 * 5000))).as("nothing is known of it")
                .isFalse();
    }

    private static long salts(Path live) throws IOException {
        try (var log = new RandomAccessFile(live.resolve("meta.db-wal").toFile(), "r")) {
            return WriteAheadLog.salts(log);
        }
    }

    /** A process that is killed, on the same machine: what it had only committed is promised, too. */
    @Test
    void everyFlippedBitOfACommittedLogIsToldAfterAKill() throws Exception {
        var path = directory.resolve("meta.db");
        SqliteMetaEngine.create(path).close();
        var acknowledged = new ArrayList<String>();
        try (var child = ChildJvm.start(directory, KilledWriter.class, path, "k0")) {
            for (int i = 0; i < 30; i++) {
                acknowledged.add(child.line());
            }
            child.kill();
            child.lines().stream().filter(line -> line.matches("k\\d+-\\d-\\d+")).forEach(acknowledged::add);
        }
        var file = file(directory);
        var guard = new LogGuard(file);
        var committed = new LogIndex(file.index()).mark().orElseThrow();
        assertThat(committed.frames()).as("it is about something").isPositive();
        assertThatCode(guard::requireWhole).doesNotThrowAnyException();
        long bits = 8L * (WriteAheadLog.HEADER_BYTES + (long) committed.frames() * WriteAheadLog.FRAME_BYTES);
        for (int i = 0; i < 5 * FLIPS; i++) {
            long bit = i < 32 ? 8L * i + random.nextInt(8) : random.nextLong(bits);
            flip(file.wal(), bit);
            assertThatThrownBy(guard::requireWhole).as("seed %d, bit %d", seed, bit)
                    .isInstanceOf(MetaDamagedException.class);
            flip(file.wal(), bit);
        }
        assertLostPagesAreNoDamage(file, guard, committed);
        assertThatCode(guard::requireWhole).doesNotThrowAnyException();
        try (var engine = SqliteMetaEngine.open(path)) {
            assertThat(NumberedRows.wrongs(engine, acknowledged)).isEmpty();
        }
    }

    /**
     * A disk that went away and came back, without a restart of the machine: pages behind the last sync are as they
     * were before.
     */
    private void assertLostPagesAreNoDamage(DatabaseFile file, LogGuard guard, Mark committed) throws Exception {
        byte[] log = Files.readAllBytes(file.wal());
        int end = WriteAheadLog.HEADER_BYTES + committed.frames() * WriteAheadLog.FRAME_BYTES;
        var tip = LogTip.read(file).orElseThrow().mark();
        int safe = tip.salts() == committed.salts() ? tip.frames() : 0;
        for (int i = 0; i < FLIPS; i++) {
            int page = (WriteAheadLog.HEADER_BYTES + safe * WriteAheadLog.FRAME_BYTES) / PAGE + 1
                    + random.nextInt(Math.max(1, end / PAGE));
            if ((page + 1) * PAGE > end || !hasHeader(page)) {
                continue;
            }
            write(file.wal(), new byte[PAGE], page * PAGE);
            assertThatCode(guard::requireWhole).as("seed %d, page %d", seed, page).doesNotThrowAnyException();
            write(file.wal(), Arrays.copyOfRange(log, page * PAGE, (page + 1) * PAGE), page * PAGE);
        }
    }

    /** Whether a whole header of a frame lies in a page of the file: some have none. */
    private static boolean hasHeader(int page) {
        int into = Math.floorMod(page * PAGE - WriteAheadLog.HEADER_BYTES, WriteAheadLog.FRAME_BYTES);
        return into == 0 || WriteAheadLog.FRAME_BYTES - into + 24 <= PAGE;
    }

    private static void write(Path path, byte[] bytes, int at) throws IOException {
        try (var file = new RandomAccessFile(path.toFile(), "rw")) {
            file.seek(at);
            file.write(bytes);
        }
    }

    @Test
    void aDamagedLogIsSetAsideOnceAndTheRestIsThere() throws Exception {
        var left = leave(ROWS, ROWS);
        assertThat(SqliteMetaEngine.setLogAside(left.resolve("meta.db"), "aside")).as("nothing is wrong").isEmpty();
        flip(left.resolve("meta.db-wal"), 8L * (WriteAheadLog.HEADER_BYTES + 30 * WriteAheadLog.FRAME_BYTES + 100));
        byte[] damaged = Files.readAllBytes(left.resolve("meta.db-wal"));
        assertThat(SqliteMetaEngine.hasDamagedLog(left.resolve("meta.db"))).isTrue();
        var copy = SqliteMetaEngine.setLogAside(left.resolve("meta.db"), "aside").orElseThrow();
        assertThat(Files.readAllBytes(copy)).isEqualTo(damaged);
        try (var engine = SqliteMetaEngine.open(left.resolve("meta.db"))) {
            requireRows(engine, 10);
            assertThat(read(engine, "row-" + (ROWS - 1))).as("it was behind the damage").isNull();
        }
    }
}
