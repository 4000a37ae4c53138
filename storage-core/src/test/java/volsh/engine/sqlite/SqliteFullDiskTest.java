package volsh.engine.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import volsh.engine.MetaKey;
import volsh.fs.NoSpaceException;

/**
 * A disk that its own database fills, or another program: everything can be removed, one transaction after the other,
 * and its space is written again. The log has to be copied meanwhile, many times.
 */
@Timeout(120)
final class SqliteFullDiskTest {
    private static final int SIZE = 8 << 20;
    private static final int VALUE = 3_000;

    @TempDir
    Path directory;

    private static MetaKey key(int number) {
        return MetaKey.of(("k%08d".formatted(number)).getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] value(int number) {
        byte[] bytes = new byte[VALUE];
        new SplittableRandom(number).nextBytes(bytes);
        return bytes;
    }

    /** Whether there was space for it. */
    private static boolean put(SqliteMetaEngine engine, int number) throws IOException {
        try {
            engine.transact(tx -> {
                tx.put(key(number), value(number));
                return null;
            });
            return true;
        } catch (NoSpaceException full) {
            return false;
        }
    }

    /** Puts rows up to {@code limit} from {@code from} on, and says where there was no more space. */
    private static int fill(SqliteMetaEngine engine, int from, int limit) throws IOException {
        int next = from;
        while (next < limit && put(engine, next)) {
            next++;
        }
        return next;
    }

    private static void remove(SqliteMetaEngine engine, int number) throws IOException {
        engine.transactFreeing(tx -> {
            tx.delete(key(number));
            return null;
        });
    }

    private static void removeEverySecond(SqliteMetaEngine engine, int to) throws IOException {
        for (int i = 0; i < to; i += 2) {
            remove(engine, i);
        }
    }

    private static void requireOdd(SqliteMetaEngine engine, int to) throws IOException {
        for (int i = 0; i < to; i++) {
            int number = i;
            byte[] found = engine.read(tx -> tx.get(key(number)));
            assertThat(found).as("row %d", i).isEqualTo(i % 2 == 0 ? null : value(i));
        }
    }

    private SqliteMetaEngine create(SmallDisk disk) throws IOException {
        var engine = SqliteMetaEngine.create(disk.directory().resolve("meta.db"));
        engine.keepReserve();
        return engine;
    }

    @Test
    void aDatabaseThatFillsItsDisk() throws Exception {
        try (var disk = SmallDisk.mount(directory.resolve("disk"), SIZE)) {
            int full;
            try (var engine = create(disk)) {
                full = fill(engine, 0, Integer.MAX_VALUE);
                assertThat((long) full * VALUE).as("what fits").isGreaterThan(SIZE / 3);
                removeEverySecond(engine, full);
                int more = fill(engine, full, Integer.MAX_VALUE) - full;
                assertThat(more).as("are written where %d were removed", full / 2).isGreaterThan(full / 3);
                for (int i = full; i < full + more; i++) {
                    remove(engine, i);
                }
                engine.sync();
            }
            try (var engine = SqliteMetaEngine.open(disk.directory().resolve("meta.db"))) {
                requireOdd(engine, full);
                assertThat(engine.inspect(true)).isEmpty();
            }
        }
    }

    /**
     * Removing that keeps history, and so takes space, ends before the reserve does: with that history can be given
     * back.
     */
    @Test
    void historyDoesNotUseUpTheReserve() throws Exception {
        try (var disk = SmallDisk.mount(directory.resolve("disk"), SIZE)) {
            try (var engine = create(disk)) {
                int full = fill(engine, 0, Integer.MAX_VALUE);
                int end = full;
                while (keep(engine, end)) {
                    end++;
                }
                assertThat(end).as("some is kept on a full disk").isGreaterThan(full);
                assertThat(Files.size(disk.directory().resolve("meta.db-reserve"))).isGreaterThan(SIZE / 64);
                for (int i = 0; i < end; i++) {
                    remove(engine, i);
                }
                assertThat(engine.reusableBytes()).isGreaterThan(SIZE / 2);
                assertThat(fill(engine, 0, full / 2)).isEqualTo(full / 2);
            }
        }
    }

    /** Whether there was space for a row that a removal keeps. */
    private static boolean keep(SqliteMetaEngine engine, int number) throws IOException {
        try {
            engine.transactRemoving(tx -> {
                tx.put(key(number), value(number));
                return null;
            });
            return true;
        } catch (NoSpaceException full) {
            return false;
        }
    }

    /** Another program takes all that is left while what the database grows by is still in the log. */
    @Test
    void aDiskThatAnotherProgramFills() throws Exception {
        try (var disk = SmallDisk.mount(directory.resolve("disk"), SIZE)) {
            try (var engine = create(disk)) {
                int full = fill(engine, 0, 800);
                var ballast = fill(disk);
                full = fill(engine, full, Integer.MAX_VALUE);
                removeEverySecond(engine, full);
                assertThat(fill(engine, full, full + 100)).as("a hundred where many were removed")
                        .isEqualTo(full + 100);
                for (int i = full; i < full + 100; i++) {
                    remove(engine, i);
                }
                requireOdd(engine, full);
                Files.delete(ballast);
                assertThat(fill(engine, full, full + 200)).isEqualTo(full + 200);
            }
        }
    }

    private static Path fill(SmallDisk disk) throws IOException {
        var ballast = disk.directory().resolve("ballast");
        try (var out = Files.newOutputStream(ballast)) {
            for (int size = 1 << 20; size > 0; size /= 2) {
                fill(out, new byte[size]);
            }
        }
        return ballast;
    }

    private static void fill(java.io.OutputStream out, byte[] bytes) {
        try {
            while (true) {
                out.write(bytes);
            }
        } catch (IOException full) {
            // that is what was wanted
        }
    }
}
