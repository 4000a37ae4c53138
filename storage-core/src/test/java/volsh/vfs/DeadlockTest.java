package volsh.vfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.fs.Lock;
import volsh.fs.Owner;
import volsh.inventory.Superblock;
import volsh.meta.EngineKind;
import volsh.meta.FileLocks;
import volsh.meta.OnPostgres;

/** Circles of waits for locks between sessions: one in each is refused, and nobody else. */
@OnPostgres
final class DeadlockTest {
    private final MetaEngine engine;
    private final InstantSource clock = InstantSource.fixed(Instant.parse("2026-01-01T00:00:00Z"));
    private final List<Locking> sessions = new ArrayList<>();
    private long number;

    DeadlockTest(EngineKind kind) throws IOException {
        engine = kind.open();
    }

    @BeforeEach
    void open() throws IOException {
        var superblock = new Superblock(engine, clock);
        superblock.format(Owner.ROOT, 0755, "made", new byte[0]);
        for (int i = 0; i < 3; i++) {
            sessions.add(new Locking(new FileLocks(engine, clock, superblock.sessions().open("test", i, "test").id())));
        }
    }

    @AfterEach
    void close() {
        sessions.forEach(Locking::close);
    }

    private static Lock range(boolean exclusive, long at, long owner) {
        return new Lock(Lock.Kind.RANGE, exclusive, at, at, owner, 1);
    }

    /** What becomes of a wait: "granted", or why it was refused. */
    private CompletableFuture<String> wait(int session, long ino, Lock wanted) throws IOException {
        var result = new CompletableFuture<String>();
        boolean now = sessions.get(session).lock(++number, ino, wanted, telling(result));
        assertThat(now).isFalse();
        return result;
    }

    @Test
    void ofThreeInACircleOneIsRefusedAndTheOthersGetTheirs() throws Exception {
        for (int i = 0; i < 3; i++) {
            sessions.get(i).tryLock(10 + i, range(true, 0, 5));
        }
        List<CompletableFuture<String>> waits = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            waits.add(wait(i, 10 + (i + 1) % 3, range(true, 0, 5)));
        }
        assertThat(waits.get(2).get(60, TimeUnit.SECONDS)).as("the one with the highest number").contains("deadlock");
        assertThat(waits.get(0)).isNotDone();
        sessions.get(2).unlockAll(12, Lock.Kind.RANGE, 5);
        assertThat(waits.get(1).get(60, TimeUnit.SECONDS)).isEqualTo("granted");
        sessions.get(1).unlockAll(11, Lock.Kind.RANGE, 5);
        assertThat(waits.get(0).get(60, TimeUnit.SECONDS)).isEqualTo("granted");
    }

    /**
     * A lock that several share is in the way because of each of them; one of them is in the circle, and not the first.
     */
    @Test
    void aCircleThroughASharedLockIsFoundToo() throws Exception {
        sessions.get(2).tryLock(10, range(false, 0, 1));   // who does not wait
        sessions.get(1).tryLock(10, range(false, 0, 2));
        sessions.get(0).tryLock(11, range(true, 0, 3));
        var one = wait(1, 11, range(false, 0, 2));
        var other = wait(0, 10, range(true, 0, 3));
        assertThat(one.get(60, TimeUnit.SECONDS)).contains("deadlock");
        assertThat(other).isNotDone();
    }

    /** Waits in a row, however long, are no circle. */
    @Test
    void whoOnlyWaitsIsNotRefused() throws Exception {
        sessions.get(0).tryLock(10, range(true, 0, 1));
        sessions.get(1).tryLock(11, range(true, 0, 1));
        var first = wait(1, 10, range(true, 0, 1));
        var second = wait(2, 11, range(true, 0, 1));
        assertThat(CompletableFuture.anyOf(first, second)).failsWithin(1200, TimeUnit.MILLISECONDS);
        sessions.get(0).unlockAll(10, Lock.Kind.RANGE, 1);
        assertThat(first.get(60, TimeUnit.SECONDS)).isEqualTo("granted");
        sessions.get(1).unlockAll(11, Lock.Kind.RANGE, 1);
        assertThat(second.get(60, TimeUnit.SECONDS)).isEqualTo("granted");
        List<MetaEngine.Entry> rows = engine.read(tx -> tx.scan(MetaKey.of((byte) 'f'), MetaKey.of((byte) 'g'), 10));
        assertThat(rows).as("nothing is left of waits that are over").noneMatch(row -> row.key().bytes().length > 10);
    }

    /**
     * Who has just been granted what it waited for is no longer waiting for the one before, though it still stands in
     * the queue.
     */
    @Test
    void whoTakeTurnsAreNotRefused() throws Exception {
        var granted = new AtomicReference<Callable<?>>();
        var turns = new Locking(new FileLocks(calling(granted), clock,
                new Superblock(engine, clock).sessions().open("test", 9, "test").id()));
        sessions.add(turns);
        var again = new CompletableFuture<String>();
        var second = new CompletableFuture<String>();
        turns.tryLock(10, range(true, 0, 1));
        assertThat(turns.lock(1, 10, range(true, 0, 2), telling(second))).isFalse();
        granted.set(() -> turns.lock(2, 10, range(true, 0, 1), telling(again)));
        turns.unlockAll(10, Lock.Kind.RANGE, 1);
        assertThat(second.get(60, TimeUnit.SECONDS)).isEqualTo("granted");
        turns.unlockAll(10, Lock.Kind.RANGE, 2);
        assertThat(again.get(60, TimeUnit.SECONDS)).isEqualTo("granted");
    }

    /** The engine; {@code then} is called once, when the thread that serves those who wait has committed something. */
    private MetaEngine calling(AtomicReference<Callable<?>> then) {
        return (MetaEngine) Proxy.newProxyInstance(MetaEngine.class.getClassLoader(), new Class<?>[] {MetaEngine.class},
                (_, method, arguments) -> {
            try {
                var result = method.invoke(engine, arguments);
                var call = method.getName().equals("transact") && Thread.currentThread().getName().equals("lock-waits")
                        ? then.getAndSet(null) : null;
                if (call != null) {
                    call.call();
                }
                return result;
            } catch (InvocationTargetException failed) {
                throw failed.getCause();
            }
        });
    }

    private static Locking.Waiter telling(CompletableFuture<String> result) {
        return new Locking.Waiter() {
            @Override
            public boolean granted() {
                result.complete("granted");
                return true;
            }

            @Override
            public void refused(IOException why) {
                result.complete(why.getMessage());
            }
        };
    }
}
