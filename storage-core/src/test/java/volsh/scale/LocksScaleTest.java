package volsh.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Lock;
import volsh.inventory.Superblock;
import volsh.meta.FileLocks;
import volsh.meta.LockWaits.Wait;

/** Locks, and who waits for them, of more files and sessions than a page holds. */
final class LocksScaleTest {
    private static final int SESSIONS = Scale.LONG ? 5_000 : 520;

    @TempDir
    Path directory;

    private static Lock range(long owner) {
        return new Lock(Lock.Kind.RANGE, true, 0, 9, owner, 1);
    }

    /** Each session has a lock on a file of its own and waits for the next session's: one circle, of all. */
    @ParameterizedTest
    @ValueSource(strings = {"sqlite", "postgres"})
    void aCircleOfManySessionsIsFoundAndWhatTheyLeaveIsSwept(String kind) throws Exception {
        try (var volume = Scale.on(kind, directory)) {
            var sessions = new ArrayList<Long>();
            volume.times(SESSIONS, engine ->
                    i -> sessions.add(new Superblock(engine, volume.clock).sessions().open("host", i, "locks").id()));
            volume.times(SESSIONS, engine -> i -> {
                var locks = new FileLocks(engine, volume.clock, sessions.get(i));
                assertThat(locks.lock(100 + i, range(1))).isEmpty();
                locks.waits().tell(List.of(wait((i + 1) % SESSIONS)));
            });
            var last = new FileLocks(volume.engine, volume.clock, sessions.getLast());
            assertThat(last.waits().isToBeGivenUp(wait(0))).isTrue();
            var first = new FileLocks(volume.engine, volume.clock, sessions.getFirst());
            assertThat(first.waits().isToBeGivenUp(wait(1))).as("one is enough").isFalse();
            assertThat(first.all()).hasSize(SESSIONS);
            volume.times(SESSIONS, engine -> i -> new Superblock(engine, volume.clock).sessions().end(sessions.get(i)));
            new FileLocks(volume.engine, volume.clock, volume.session()).sweep();
            assertThat(first.all()).isEmpty();
        }
    }

    /** All who wait are of one session. */
    @Test
    void aCircleOfManyFilesIsFound() throws Exception {
        try (var volume = Scale.on("sqlite", directory)) {
            int files = SESSIONS;
            long session = volume.session();
            volume.times(files, engine -> i ->
                    assertThat(new FileLocks(engine, volume.clock, session).lock(100 + i, range(i + 1))).isEmpty());
            var locks = new FileLocks(volume.engine, volume.clock, session);
            var waits = new ArrayList<Wait>();
            for (int i = 0; i < files; i++) {
                waits.add(new Wait(100 + (i + 1) % files, range(i + 1)));
            }
            assertThat(locks.waits().isCircle(waits.getFirst(), waits)).isTrue();
        }
    }

    private static Wait wait(int file) {
        return new Wait(100 + file, range(1));
    }

    private static Lock at(long place) {
        return new Lock(Lock.Kind.RANGE, true, 2 * place, 2 * place, 1, 1);
    }

    /** As many as its row holds; what is beyond is refused, and what is there can be given back. */
    @Test
    void manyLocksOnOneFile() throws Exception {
        try (var volume = Scale.on("sqlite", directory)) {
            var locks = new FileLocks(volume.engine, volume.clock, volume.session());
            int taken = 3_500;
            Scale.times(volume.engine, taken, 700, engine ->
                    i -> assertThat(new FileLocks(engine, volume.clock, volume.session()).lock(7, at(i))).isEmpty());
            try {
                for (; taken < 100_000; taken++) {
                    assertThat(locks.lock(7, at(taken))).isEmpty();
                }
            } catch (FsException full) {
                assertThat(full.error()).isEqualTo(FsError.NO_LOCKS);
            }
            assertThat(taken).isBetween(3_500, 4_000);
            assertThat(locks.all()).hasSize(taken);
            locks.unlock(7, Lock.Kind.RANGE, 1, 0, Lock.END);
            assertThat(locks.all()).isEmpty();
            assertThatThrownBy(() -> new FileLocks(volume.engine, volume.clock, 99).lock(7, range(1)))
                    .hasMessageNotContaining("internal");
        }
    }
}
