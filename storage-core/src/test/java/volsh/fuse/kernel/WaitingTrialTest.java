package volsh.fuse.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import volsh.fuse.kernel.WaitingTrial.Way;

/** How a thread that serves one program waits. */
@Tag("mount")
class WaitingTrialTest {
    private final WaitingTrial trial = new WaitingTrial();
    private long now;
    private Way way = Way.ASLEEP;

    @Test
    void pollsWhereThatIsClearlyFaster() {
        way = trial.begin(now, true);
        assertTrue(part(Way.POLLING, 50_000, 30_000, 40_000) > 0.95);
    }

    @Test
    void sleepsWhereBothAreLevel() {
        way = trial.begin(now, true);
        assertTrue(part(Way.ASLEEP, 30_000, 29_000, 40_000) > 0.95);
    }

    @Test
    void findsOutWhenThatChanges() {
        way = trial.begin(now, true);
        part(Way.POLLING, 50_000, 30_000, 40_000);
        assertTrue(part(Way.ASLEEP, 20_000, 90_000, 100_000) > 0.7);
    }

    @Test
    void neverPollsForAProgramThatTakesItsTime() {
        way = trial.begin(now, false);
        assertEquals(1, part(Way.ASLEEP, 500_000, 1, 40_000));
    }

    @Test
    void aFewRequestsSayNothing() {
        for (int i = 0; i < 100; i++) {
            way = trial.begin(now, true);
            assertEquals(Way.ASLEEP, way);
            part(Way.ASLEEP, 50_000, 30_000, WaitingTrial.FEWEST - 1);
            trial.end(now);
        }
    }

    @Test
    void pollsForWhatCannotBeFollowed() {
        trial.begin(now, false);
        assertEquals(Way.POLLING, trial.refuseSleep());
        assertEquals(Way.POLLING, trial.served(now));
    }

    /** The part of the requests that were waited for in this way, if they take so long. */
    private double part(Way counted, long asleep, long polling, int requests) {
        int so = 0;
        for (int i = 0; i < requests; i++) {
            so += way == counted ? 1 : 0;
            now += way == Way.ASLEEP ? asleep : polling;
            way = trial.served(now);
        }
        return (double) so / requests;
    }
}
