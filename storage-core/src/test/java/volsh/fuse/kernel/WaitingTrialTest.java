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
    private Way way = Way.ANYWHERE;
    private boolean brisk = true;

    @Test
    void pollsWhereThatIsClearlyFaster() {
        assertTrue(part(Way.POLLING, 50_000, 60_000, 30_000, 60_000) > 0.9);
    }

    @Test
    void followsWhereAllAreLevel() {
        assertTrue(part(Way.ASLEEP, 30_000, 29_000, 29_000, 60_000) > 0.9);
    }

    @Test
    void waitsAnywhereWhereFollowingIsSlower() {
        assertTrue(part(Way.ANYWHERE, 60_000, 25_000, 60_000, 60_000) > 0.9);
        assertTrue(part(Way.ANYWHERE, 60_000, 25_000, 24_000, 60_000) > 0.9, "polling must be worth its processor");
    }

    @Test
    void findsOutWhenThatChanges() {
        part(Way.POLLING, 50_000, 60_000, 30_000, 60_000);
        assertTrue(part(Way.ASLEEP, 20_000, 90_000, 90_000, 100_000) > 0.6);
        assertTrue(part(Way.ANYWHERE, 60_000, 20_000, 60_000, 100_000) > 0.6);
        assertTrue(part(Way.ASLEEP, 20_000, 60_000, 60_000, 100_000) > 0.6);
    }

    @Test
    void neverPollsForAProgramThatTakesItsTime() {
        brisk = false;
        assertEquals(0, part(Way.POLLING, 500_000, 500_000, 1, 40_000));
    }

    @Test
    void pollsForAProgramThatBeganSlowly() {
        brisk = false;
        part(Way.ASLEEP, 500_000, 500_000, 1, 1000);
        double polled = part(Way.POLLING, 50_000, 60_000, 30_000, 60_000);
        assertTrue(polled > 0.6, "polled for " + polled);
    }

    @Test
    void aFewRequestsSayNothing() {
        for (int i = 0; i < 100; i++) {
            way = trial.begin(now, true);
            assertEquals(Way.ASLEEP, way);
            part(Way.ASLEEP, 50_000, 50_000, 30_000, WaitingTrial.FEWEST - 1);
            trial.end(now);
        }
    }

    @Test
    void pollingThatCannotBeKeptUpIsNotTriedAgainAtOnce() {
        int polled = 0;
        for (int i = 0; i < 100; i++) {
            part(Way.ASLEEP, 50_000, 50_000, 50_000, 300);
            if (way == Way.POLLING) {
                polled++;
                trial.end(now);
                way = Way.ANYWHERE;
            }
        }
        assertTrue(polled > 0 && polled < 5, polled + " times");
    }

    @Test
    void pollsForWhatCannotBeFollowed() {
        trial.begin(now, false);
        assertEquals(Way.POLLING, trial.refuseSleep());
        assertEquals(Way.POLLING, trial.served(now));
    }

    /** The part of the requests that were waited for in this way, if they take so long. */
    private double part(Way counted, long asleep, long anywhere, long polling, int requests) {
        int so = 0;
        for (int i = 0; i < requests; i++) {
            so += way == counted ? 1 : 0;
            if (way == Way.ANYWHERE) {
                now += anywhere;
                way = trial.arrived(anywhere) ? trial.begin(now, brisk) : way;
            } else {
                now += way == Way.ASLEEP ? asleep : polling;
                way = trial.served(now);
            }
        }
        return (double) so / requests;
    }
}
