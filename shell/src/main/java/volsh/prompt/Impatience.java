package volsh.prompt;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Interrupts a command that does not stop within a second after it was asked to. */
final class Impatience {
    private static final long POLITE_MILLIS = 1_000;

    private final Thread runner;
    private final CountDownLatch ended = new CountDownLatch(1);

    Impatience(Thread runner) {
        this.runner = runner;
    }

    void start() {
        Thread.ofVirtual().name("impatience").start(() -> {
            try {
                if (!ended.await(POLITE_MILLIS, TimeUnit.MILLISECONDS)) {
                    interrupt();
                }
            } catch (InterruptedException never) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private synchronized void interrupt() {
        if (ended.getCount() > 0) {
            runner.interrupt();
        }
    }

    /** It ended; an interrupt that came too late does not reach the next command. */
    synchronized void end() {
        ended.countDown();
        Thread.interrupted();
    }
}
