package volsh.care;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import volsh.engine.MetaEngine;
import volsh.fs.Lock;
import volsh.fs.Owner;
import volsh.inventory.Superblock;
import volsh.meta.EngineKind;
import volsh.meta.FileLocks;
import volsh.meta.OnEveryEngine;
import volsh.meta.Session;
import volsh.meta.Sessions;
import volsh.vfs.ManualClock;

/** Who is silent for too long is ended; who only slept is not. */
@OnEveryEngine
@Tag("volume")
final class StaleSessionsTest {
    private final ManualClock clock = new ManualClock();
    private final MetaEngine engine;
    private Sessions sessions;
    private FileLocks locks;
    private Session dead;

    StaleSessionsTest(EngineKind kind) throws IOException {
        engine = kind.open();
    }

    @BeforeEach
    void open() throws IOException {
        var superblock = new Superblock(engine, clock);
        superblock.format(Owner.ROOT, 0755, "made", new byte[0]);
        sessions = superblock.sessions();
        dead = sessions.open("there", 1, "mount");
        locks = new FileLocks(engine, clock, dead.id());
        locks.lock(9, new Lock(Lock.Kind.WHOLE, true, 0, Lock.END, 1, 1));
    }

    @Test
    void aDeadSessionGoesAtTheSecondLookWithItsLocks() throws IOException {
        var silent = new StaleSessions(sessions, locks, clock, unknown -> false);
        silent.look();
        clock.advance(Sessions.LEASE.plusSeconds(1));
        silent.look();
        assertThat(sessions.list()).hasSize(1);
        clock.advance(Duration.ofSeconds(20));
        silent.look();
        assertThat(sessions.list()).isEmpty();
        assertThat(locks.all()).isEmpty();
    }

    @Test
    void oneThatSleptAndWakesUpStays() throws IOException {
        var silent = new StaleSessions(sessions, locks, clock, unknown -> false);
        for (int night = 0; night < 3; night++) {
            clock.advance(Duration.ofHours(8));
            silent.look();
            dead = sessions.renew(dead, 0);
            silent.look();
        }
        assertThat(sessions.list()).hasSize(1);
        assertThat(locks.all()).hasSize(1);
    }
}
