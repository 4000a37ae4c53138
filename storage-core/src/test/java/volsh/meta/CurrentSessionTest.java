package volsh.meta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import volsh.engine.Keys;
import volsh.engine.MetaEngine;
import volsh.fs.BlockRow;
import volsh.fs.Extent;
import volsh.fs.FileCommit;
import volsh.fs.FileKind;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.NoSpaceException;
import volsh.fs.Owner;
import volsh.inventory.Superblock;
import volsh.quota.QuotaRule;
import volsh.vfs.ManualClock;

/** A session that takes the place of one that was ended, and what is left of that one. */
@OnEveryEngine
final class CurrentSessionTest {
    private final ManualClock clock = new ManualClock();
    private final MetaEngine engine;
    private final Sessions sessions;
    private Session first;
    private CurrentSession current;
    private Namespace names;

    CurrentSessionTest(EngineKind kind) throws IOException {
        engine = kind.open();
        sessions = new Superblock(engine, clock).sessions();
    }

    @BeforeEach
    void open() throws IOException {
        new Superblock(engine, clock).format(Owner.ROOT, 0755, "made", new byte[0]);
        first = sessions.open("test", 1, "test");
        current = new CurrentSession(engine, clock, first.id());
        names = new Namespace(engine, clock, current, new FileLocks(engine, clock, first.id()));
    }

    private void replace() throws IOException {
        sessions.end(first.id());
        current.replace(sessions.replace(first, Sessions.Role.WRITER, Long.MAX_VALUE));
    }

    /**
     * On a full disk what was removed is given back, and the change is tried again; without anything to give back it is
     * refused.
     */
    @Test
    void aFullDiskIsAskedForRoom() throws IOException {
        var refusals = new AtomicInteger();
        var full = (MetaEngine) Proxy.newProxyInstance(MetaEngine.class.getClassLoader(),
                new Class<?>[] {MetaEngine.class}, (self, method, arguments) -> {
            if (method.getName().matches("transact|transactRemoving") && refusals.getAndDecrement() > 0) {
                throw new NoSpaceException("full", null);
            }
            try {
                return method.invoke(engine, arguments);
            } catch (InvocationTargetException failed) {
                throw failed.getCause();
            }
        });
        var asked = new AtomicInteger();
        names = new Namespace(full, clock, current, new FileLocks(engine, clock, first.id()));
        refusals.set(1);
        assertThat(catchThrowable(() -> file("refused"))).as("nobody gives back").isInstanceOf(NoSpaceException.class);
        current.onFull(() -> asked.incrementAndGet() > 0);
        refusals.set(1);
        file("made");
        refusals.set(1);
        names.unlink(Namespace.ROOT, Name.of("made"));
        assertThat(asked).hasValue(2);
        refusals.set(100);
        assertThat(catchThrowable(() -> file("never"))).isInstanceOf(NoSpaceException.class);
        assertThat(asked.get()).as("not for ever").isLessThan(10);
    }

    private static void assertRefused(FsError error, ThrowingCallable call) {
        assertThat(catchThrowable(call))
                .isInstanceOfSatisfying(FsException.class, refused -> assertThat(refused.error()).isEqualTo(error));
    }

    private long file(String name) throws IOException {
        return names.makeNode(Namespace.ROOT, Name.of(name), FileKind.REGULAR, 0644, Owner.ROOT, 0).ino();
    }

    private static FileCommit commit(long block, long start) {
        return new FileCommit(List.of(new BlockRow(block, 10, 10, 0, 0, new byte[0])),
                List.of(new Extent(start, 10, block, 0)), start + 10, OptionalLong.empty(), -1);
    }

    /**
     * What was stored under a number of the old session may have been collected as garbage before there was a new one.
     */
    @Test
    void noBlockOfTheOldSessionIsCommittedAsTheNewOne() throws IOException {
        long ino = file("f");
        long old = names.files().newBlock();
        long kept = names.files().newBlock();
        names.files().commit(ino, commit(kept, 0));
        replace();
        assertRefused(FsError.STALE, () -> names.files().commit(ino, commit(old, 10)));
        long now = names.files().newBlock();
        assertThat(now).isGreaterThan(old);
        names.files().commit(ino, commit(now, 10));
        assertThat(names.files().content(ino, 0, 20).extents()).extracting(Extent::block).containsExactly(kept, now);
        assertThat(sessions.list().getFirst().owns(now)).as("nobody takes it for garbage").isTrue();
        assertThat(sessions.list().getFirst().owns(old)).isFalse();
    }

    @Test
    void aSessionThatIsThereOrAVolumeThatIsRetiredGetsNoOther() throws IOException {
        assertRefused(FsError.BUSY, () -> sessions.replace(first, Sessions.Role.WRITER, 1));
        sessions.end(first.id());
        var alone = sessions.open("b", 2, "mount", Sessions.Role.SOLE_WRITER);
        assertRefused(FsError.BUSY, () -> sessions.replace(first, Sessions.Role.WRITER, 1));
        assertThat(sessions.replace(first, Sessions.Role.READER, 1).session().lowWater())
                .as("what is open there is kept").isEqualTo(1);
        assertRefused(FsError.BUSY, () -> sessions.replace(alone, Sessions.Role.SOLE_WRITER, 1));
        sessions.retire(true);
        assertRefused(FsError.STALE, () -> sessions.replace(first, Sessions.Role.WRITER, 1));
    }

    /** What the old one had reserved under a quota, others may have been given. */
    @Test
    void quotaIsReservedAnew() throws IOException {
        new Quotas(engine, clock, current).set(QuotaRule.NONE, 200);
        clock.advance(Duration.ofSeconds(2));
        file("mine");   // and more is reserved with it
        sessions.end(first.id());
        var other = new Namespace(engine, clock, sessions.open("other", 2, "test").id());
        int made = 0;
        while (isMade(other, "theirs" + made)) {
            made++;
        }
        assertThat(made).isBetween(190, 199);
        current.replace(sessions.replace(first, Sessions.Role.WRITER, Long.MAX_VALUE));
        assertRefused(FsError.QUOTA, () -> file("more"));
    }

    private static boolean isMade(Namespace space, String name) throws IOException {
        try {
            space.makeDirectory(Namespace.ROOT, Name.of(name), 0755, Owner.ROOT);
            return true;
        } catch (FsException refused) {
            assertThat(refused.error()).isEqualTo(FsError.QUOTA);
            return false;
        }
    }

    /**
     * A session that was ended may still have an unlinked file open: of a file that is freed in several steps it reads
     * all or nothing.
     */
    @Test
    void aFileThatIsHalfFreedIsGone() throws IOException {
        long ino = file("large");
        for (int i = 0; i < 300; i++) {
            names.files().commit(ino, commit(names.files().newBlock(), 20L * i));
        }
        names.unlink(Namespace.ROOT, Name.of("large"));
        assertThat(names.attributes(ino).links()).isZero();
        sessions.end(first.id());
        clock.advance(Duration.ofSeconds(5));
        var other = sessions.open("other", 2, "test");
        var reclaim = new Reclaim(killedAfter(1), clock, other.id());
        assertThat(catchThrowable(reclaim::freeOrphans)).hasMessage("killed");
        assertThat(engine.<Integer>read(tx -> tx.scan(Keys.kind('X'), Keys.kind('X').afterPrefix(), 500).size()))
                .as("half of it is left").isBetween(1, 299);
        assertRefused(FsError.NO_ENTRY, () -> names.files().content(ino, 0, 6000));
        assertRefused(FsError.NO_ENTRY, () -> names.attributes(ino));
        current.replace(sessions.replace(first, Sessions.Role.WRITER, 1));
        assertRefused(FsError.NO_ENTRY, () -> names.link(ino, Namespace.ROOT, Name.of("again")));
        sessions.end(current.id());
        while (new Reclaim(engine, clock, other.id()).freeOrphans()) {
            // the rest goes as well
        }
        assertThat(engine.<Integer>read(tx -> tx.scan(Keys.kind('X'), Keys.kind('X').afterPrefix(), 500).size()))
                .isZero();
    }

    /** The engine for a process that does not live to see more than this many of its changes. */
    private MetaEngine killedAfter(int changes) {
        var left = new AtomicInteger(changes);
        return (MetaEngine) Proxy.newProxyInstance(MetaEngine.class.getClassLoader(), new Class<?>[] {MetaEngine.class},
                (proxy, method, arguments) -> {
            if (method.getName().startsWith("transact") && left.getAndDecrement() <= 0) {
                throw new IOException("killed");
            }
            try {
                return method.invoke(engine, arguments);
            } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
            }
        });
    }
}
