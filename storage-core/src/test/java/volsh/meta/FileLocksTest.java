package volsh.meta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import volsh.engine.Keys;
import volsh.engine.MetaEngine;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Lock;
import volsh.fs.Owner;
import volsh.inventory.Superblock;
import volsh.vfs.ManualClock;

/** Locks across sessions: who has which bytes, and what becomes of the locks of the dead. */
@OnEveryEngine
final class FileLocksTest {
    private static final int STEPS = Boolean.getBoolean("volsh.long") ? 200_000 : 5_000;
    private static final int BYTES = 40;

    private final ManualClock clock = new ManualClock();
    private final EngineKind kind;
    private final MetaEngine engine;
    private final Set<Session> gone = new HashSet<>();

    FileLocksTest(EngineKind kind) throws IOException {
        this.kind = kind;
        engine = kind.open();
    }

    @BeforeEach
    void format() throws IOException {
        new Superblock(engine, clock).format(Owner.ROOT, 0755, "made", new byte[0]);
    }

    private Session session() throws IOException {
        return new Superblock(engine, clock).sessions().open("test", 1, "test");
    }

    private FileLocks locks(Session session) {
        return new FileLocks(engine, clock, new CurrentSession(engine, clock, session.id()), gone::contains,
                Duration.ZERO);
    }

    private static Lock range(boolean exclusive, long start, long last, long owner) {
        return new Lock(Lock.Kind.RANGE, exclusive, start, last, owner, 7);
    }

    private static Lock whole(boolean exclusive, long owner) {
        return new Lock(Lock.Kind.WHOLE, exclusive, 0, Lock.END, owner, 7);
    }

    /** Who holds a byte: sessions and owners that share it, or the one that has it alone. */
    private record Byte(Set<String> shared, Set<String> alone) {
        Byte() {
            this(new HashSet<>(), new HashSet<>());
        }

        boolean admits(String who, boolean exclusive) {
            return alone.stream().allMatch(who::equals) && (!exclusive || shared.stream().allMatch(who::equals));
        }

        void drop(String who) {
            shared.remove(who);
            alone.remove(who);
        }
    }

    @Test
    void rangesAreWhatAByteByByteModelSays() throws IOException {
        long seed = System.nanoTime();
        System.out.println("file locks seed " + seed);
        var random = new Random(seed);
        Map<Integer, FileLocks> sessions = new HashMap<>();
        for (int i = 0; i < 3; i++) {
            sessions.put(i, locks(session()));
        }
        var model = new Byte[BYTES];
        for (int i = 0; i < BYTES; i++) {
            model[i] = new Byte();
        }
        int granted = 0;
        int refused = 0;
        for (int step = 0; step < kind.steps(STEPS); step++) {
            int session = random.nextInt(3);
            long owner = random.nextInt(2);
            var who = session + "/" + owner;
            int start = random.nextInt(BYTES);
            int last = start + random.nextInt(BYTES - start);
            if (random.nextInt(3) == 0) {
                sessions.get(session).unlock(9, Lock.Kind.RANGE, owner, start, last);
                for (int at = start; at <= last; at++) {
                    model[at].drop(who);
                }
                continue;
            }
            boolean exclusive = random.nextBoolean();
            boolean free = true;
            for (int at = start; at <= last; at++) {
                free &= model[at].admits(who, exclusive);
            }
            var wanted = range(exclusive, start, last, owner);
            assertThat(sessions.get(session).find(9, wanted).isEmpty()).as("step %d: %s wants %s", step, who, wanted)
                    .isEqualTo(free);
            assertThat(sessions.get(session).lock(9, wanted).isEmpty()).as("step %d: %s wants %s", step, who, wanted)
                    .isEqualTo(free);
            for (int at = start; free && at <= last; at++) {
                model[at].drop(who);
                (exclusive ? model[at].alone() : model[at].shared()).add(who);
            }
            granted += free ? 1 : 0;
            refused += free ? 0 : 1;
        }
        assertThat(granted).isPositive();
        assertThat(refused).isPositive();
        assertThat(sessions.get(0).all()).as("neighbours are one").hasSizeLessThan(6 * BYTES);
    }

    @Test
    void theLockThatBeginsFirstIsNamed() throws IOException {
        var one = locks(session());
        for (long start : new long[] {30, 10, 1, 20}) {
            assertThat(one.lock(9, range(start > 1, start, start + 4, 1))).isEmpty();
        }
        var other = locks(session());
        assertThat(other.find(9, range(true, 0, Lock.END, 1)).orElseThrow().lock().start()).isEqualTo(1);
        assertThat(other.find(9, range(false, 0, Lock.END, 1)).orElseThrow().lock().start()).isEqualTo(10);
        assertThat(other.lock(9, range(true, 12, Lock.END, 1)).orElseThrow().lock().start()).isEqualTo(10);
        assertThat(other.lock(9, range(true, 15, 40, 1)).orElseThrow().lock().start()).isEqualTo(20);
    }

    @Test
    void wholeFilesAndRangesKnowNothingOfEachOther() throws IOException {
        var first = locks(session());
        var second = locks(session());
        assertThat(first.lock(9, whole(true, 1))).isEmpty();
        assertThat(second.lock(9, range(true, 0, Lock.END, 1))).isEmpty();
        assertThat(second.lock(9, whole(false, 1))).isPresent();
        assertThat(second.lock(10, whole(true, 1))).as("another file").isEmpty();
    }

    /** As in Linux: else two who share a lock and both want it alone would wait for each other. */
    @Test
    void whoCannotHaveAWholeFileAloneLetsGoOfTheSharedLock() throws IOException {
        var first = locks(session());
        var second = locks(session());
        first.lock(9, whole(false, 1));
        second.lock(9, whole(false, 1));
        assertThat(first.lock(9, whole(true, 1))).isPresent();
        assertThat(second.lock(9, whole(true, 1))).isEmpty();
    }

    @Test
    void whoEndsLetsGo() throws IOException {
        var one = session();
        locks(one).lock(9, whole(true, 1));
        new Superblock(engine, clock).sessions().end(one.id());
        var second = locks(session());
        second.sweep();
        assertThat(second.all()).isEmpty();
        assertThat(second.lock(9, whole(true, 1))).isEmpty();
    }

    @Test
    void aSilentSessionLosesItsLocksAndCannotComeBack() throws IOException {
        var one = session();
        var first = locks(one);
        first.lock(9, range(true, 0, 9, 1));
        clock.advance(Sessions.LEASE.minusSeconds(1));
        var second = locks(session());
        assertThat(second.lock(9, range(true, 5, 5, 1))).as("its lease has not passed").isPresent();
        clock.advance(Duration.ofSeconds(2));
        assertThat(second.lock(9, range(true, 5, 5, 1))).isEmpty();
        assertThatThrownBy(() -> first.lock(9, range(false, 20, 20, 1)))
                .isInstanceOfSatisfying(FsException.class,
                        refused -> assertThat(refused.error()).isEqualTo(FsError.STALE));
        assertThatThrownBy(() -> new Superblock(engine, clock).sessions().renew(one, 0))
                .isInstanceOf(FsException.class);
    }

    @Test
    void whoIsKnownToBeDeadLosesItsLocksAtOnce() throws IOException {
        var one = session();
        locks(one).lock(9, whole(true, 1));
        var second = locks(session());
        assertThat(second.lock(9, whole(true, 1))).isPresent();
        gone.add(one);
        assertThat(second.lock(9, whole(true, 1))).isEmpty();
        assertThat(new Superblock(engine, clock).sessions().list()).extracting(Session::id).doesNotContain(one.id());
    }

    /** A machine that slept: all leases have passed, and nobody is dead. */
    @Test
    void aSilentSessionIsWatchedBeforeItLosesAnything() throws IOException {
        var one = session();
        locks(one).lock(9, whole(true, 1));
        clock.advance(Sessions.LEASE.plusSeconds(1));
        var second = new FileLocks(engine, clock, new CurrentSession(engine, clock, session().id()), gone::contains,
                Duration.ofHours(1));
        assertThat(second.lock(9, whole(true, 1))).isPresent();
        var sessions = new Superblock(engine, clock).sessions();
        sessions.renew(one, 0);
        assertThat(sessions.list()).extracting(Session::id).contains(one.id());
    }

    @Test
    void locksOnOneFileAreBounded() throws IOException {
        var one = session();
        var locks = locks(one);
        int most = LockRow.LOCKS_MAX - 1;
        engine.transact(tx -> {   // all but three at once: each by itself would be a row of 128 KiB
            var held = IntStream.range(0, most - 3)
                    .mapToObj(i -> new LockRow.Held(one.id(), range(true, 2L * i, 2L * i, 1))).toList();
            tx.put(Keys.locks(9, Lock.Kind.RANGE), new LockRow(Lock.Kind.RANGE, held).toBytes());
            return null;
        });
        for (int i = most - 3; i < most; i++) {
            assertThat(locks.lock(9, range(true, 2L * i, 2L * i, 1))).isEmpty();
        }
        assertThatThrownBy(() -> locks.lock(9, range(true, 2L * most, 2L * most, 1))).isInstanceOfSatisfying(
                FsException.class, refused -> assertThat(refused.error()).isEqualTo(FsError.NO_LOCKS));
    }
}
