package volsh.engine;

import java.util.ArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

/** Threads that start together and do the same thing; the first failure stops all and is thrown. */
public final class Race {
    /** What a thread does in a round. */
    @FunctionalInterface
    public interface Lap {
        void run(int thread, int round) throws Exception;
    }

    private Race() {}

    public static void of(int threads, int rounds, Lap lap) throws Exception {
        var start = new CountDownLatch(1);
        var failure = new AtomicReference<Throwable>();
        var running = new ArrayList<Thread>();
        for (int i = 0; i < threads; i++) {
            int thread = i;
            running.add(Thread.ofPlatform().name("race-" + thread).start(() -> {
                try {
                    start.await();
                    for (int round = 0; round < rounds && failure.get() == null; round++) {
                        lap.run(thread, round);
                    }
                } catch (Throwable failed) {
                    failure.compareAndSet(null, failed);
                }
            }));
        }
        start.countDown();
        for (var thread : running) {
            thread.join();
        }
        switch (failure.get()) {
            case null -> { }
            case Exception failed -> throw failed;
            case Throwable failed -> throw new AssertionError(failed);
        }
    }
}
