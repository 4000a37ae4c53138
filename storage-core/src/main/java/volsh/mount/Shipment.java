package volsh.mount;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import volsh.block.Call;

/** Ships in a thread of its own, once at a time: who asks for it waits for as long as it cares to, however long a silent store takes to give up. */
final class Shipment {
    private final Call.Action ship;
    private FutureTask<Void> running;   // guarded by this; null: never

    Shipment(Call.Action ship) {
        this.ship = ship;
    }

    /**
     * Returns when everything that is there now is shipped, or the time is over: then it goes on. One that runs already may have begun with less, so another
     * one follows it.
     *
     * @throws IOException if it failed
     */
    void await(Duration longest) throws IOException {
        long end = System.nanoTime() + longest.toNanos();
        var before = unfinished();
        try {
            if (before.isPresent()) {
                before.get().get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
            }
            current().get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException later) {
            // it goes on
        } catch (ExecutionException failed) {
            throw new IOException(failed.getCause().getMessage(), failed.getCause());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized Optional<FutureTask<Void>> unfinished() {
        return Optional.ofNullable(running).filter(task -> !task.isDone());
    }

    private synchronized FutureTask<Void> current() {
        if (running == null || running.isDone()) {
            running = new FutureTask<>(Call.of(ship)::run);
            Thread.ofPlatform().daemon().name("shipment").start(running);
        }
        return running;
    }
}
