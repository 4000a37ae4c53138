package volsh.fuse.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** When a mount looks for requests instead of sleeping. */
@Tag("mount")
class PollingPaceTest {
    private static final long SOON = 30_000;
    private static final long LATE = 1_000_000;

    private final PollingPace pace = PollingPace.polling();

    @Test
    void oneThatAsksAgainAtOnceIsLookedFor() {
        assertEquals(16, untilLooking(SOON, true));
    }

    @Test
    void oneThatTakesItsTimeIsNot() {
        for (int i = 0; i < 10_000; i++) {
            assertFalse(pace.arrived(LATE, true));
        }
    }

    @Test
    void whoAsksSoonEverySecondTimeIsNot() {
        for (int i = 0; i < 10_000; i++) {
            assertFalse(pace.arrived(i % 2 == 0 ? SOON : LATE, true));
        }
    }

    @Test
    void manyAtOnceAreNot() {
        for (int i = 0; i < 10_000; i++) {
            assertFalse(pace.arrived(SOON, i % 3 == 0));
        }
    }

    @Test
    void lookingInVainIsTriedLessAndLessOften() {
        int tried = 0;
        for (int arrivals = 0; arrivals < 100_000; arrivals++) {
            if (pace.arrived(SOON, true)) {
                tried++;
                pace.begin();
                pace.end();
            }
        }
        assertTrue(tried < 220, "looked in vain " + tried + " times");
    }

    @Test
    void lookingThatPaidIsTriedAgainSoon() {
        for (int i = 0; i < 6; i++) {
            untilLooking(SOON, true);
            pace.begin();
            pace.end();
        }
        assertTrue(untilLooking(SOON, true) > 16);
        pace.begin();
        for (int i = 0; i < 100; i++) {
            assertTrue(pace.served(i % 5 == 0));
        }
        pace.end();
        assertEquals(16, untilLooking(SOON, true));
    }

    @Test
    void oneThreadDoesNotLookWhereManyAsk() {
        untilLooking(SOON, true);
        pace.begin();
        int found = 0;
        while (pace.served(true)) {
            found++;
        }
        assertTrue(found < 20, "found " + found);
        pace.end();
        assertEquals(32, untilLooking(SOON, true));
    }

    private int untilLooking(long gap, boolean alone) {
        int arrivals = 1;
        while (!pace.arrived(gap, alone)) {
            arrivals++;
        }
        return arrivals;
    }
}
