package volsh.fuse.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import volsh.hang.Eventually;

/** Threads that rest while another looks for requests. Who rests for ever fails by the time limit. */
@Timeout(300)
@Tag("mount")
class ReserveTest {
    private final Reserve reserve = new Reserve();
    private final AtomicBoolean lookedFor = new AtomicBoolean(true);
    private final AtomicBoolean heldUp = new AtomicBoolean();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void end() {
        lookedFor.set(false);
        reserve.callAll();
        threads.close();
    }

    private Future<?> rest() {
        return threads.submit(() -> reserve.rest(lookedFor::get, heldUp::get));
    }

    private void await(int resting) {
        Eventually.holds(resting + " rest", () -> reserve.size() == resting && (resting == 0 || reserve.isWatched()));
    }

    @Test
    void nobodyRestsWhereNobodyLooks() throws Exception {
        lookedFor.set(false);
        rest().get();
        assertEquals(0, reserve.size());
    }

    @Test
    void oneGoesToTheDeviceWhenTheOneThatLooksIsHeldUp() throws Exception {
        var first = rest();
        await(1);
        var second = rest();
        await(2);
        assertFalse(first.isDone() || second.isDone());
        heldUp.set(true);
        first.get();
        assertFalse(reserve.isWatched());
    }

    @Test
    void whoIsCalledForNobodyElseWatchesGoesOnWatching() throws Exception {
        var watcher = rest();
        await(1);
        var other = rest();
        await(2);
        heldUp.set(true);
        watcher.get();
        heldUp.set(false);
        assertTrue(reserve.call());
        await(1);
        assertTrue(reserve.isWatched());
        heldUp.set(true);
        other.get();
    }

    @Test
    void allGoWhenCalledInTheEnd() throws Exception {
        var all = new Future<?>[] {rest(), rest(), rest()};
        await(3);
        lookedFor.set(false);
        reserve.callAll();
        for (var each : all) {
            each.get();
        }
        assertEquals(0, reserve.size());
        assertFalse(reserve.call());
    }
}
