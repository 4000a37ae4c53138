package volsh.hang;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * A thread that looks at all that is limited, ten times a second. It counts its looks and does not ask the clock: a
 * machine that stood still, or had no processor for us, does not use up a limit.
 */
final class Watchdog {
    static final Duration TICK = Duration.ofMillis(100);
    /** Who is interrupted and goes on for so long is given up, and the process with it. */
    private static final Duration AFTER_INTERRUPT = Duration.ofMinutes(2);
    private static final Set<Watch> WATCHED = ConcurrentHashMap.newKeySet();
    private static final Consumer<String> HALT = message -> {
        System.err.println(message);
        System.err.flush();
        Runtime.getRuntime().halt(124);
    };

    static {
        Thread.ofPlatform().daemon().name("test limits").priority(Thread.MAX_PRIORITY).start(Watchdog::run);
    }

    private Watchdog() {}

    static Watch watch(String name, Duration limit) {
        return watch(name, limit, AFTER_INTERRUPT, HALT);
    }

    /** Limits what the calling thread does from now until {@link Watch#end}. */
    static Watch watch(String name, Duration limit, Duration afterInterrupt, Consumer<String> giveUp) {
        var watch = new Watch(name, limit, afterInterrupt, giveUp);
        WATCHED.add(watch);
        return watch;
    }

    private static void run() {
        while (true) {
            try {
                Thread.sleep(TICK);
            } catch (InterruptedException nobodyDoes) {
                return;
            }
            WATCHED.forEach(Watch::tick);
        }
    }

    /** Something that is under way on a thread. */
    static final class Watch {
        private final Thread thread = Thread.currentThread();
        private final String name;
        private final Duration limit;
        private final Duration afterInterrupt;
        private final Consumer<String> giveUp;
        private long ticks;
        private boolean ended;
        private String threads;

        private Watch(String name, Duration limit, Duration afterInterrupt, Consumer<String> giveUp) {
            this.name = name;
            this.limit = limit;
            this.afterInterrupt = afterInterrupt;
            this.giveUp = giveUp;
        }

        private synchronized void tick() {
            if (ended) {
                return;
            }
            var lasted = TICK.multipliedBy(++ticks);
            if (threads == null && lasted.compareTo(limit) >= 0) {
                threads = ThreadDump.take(thread);
                System.err.println(name + " hangs, and is interrupted after " + limit);
                thread.interrupt();
            } else if (threads != null && lasted.compareTo(limit.plus(afterInterrupt)) >= 0) {
                ended = true;
                giveUp.accept(threads + "\nThen it was interrupted, which did not end it:\n\n" + ThreadDump.take(thread)
                        + "\n" + name + " hangs: no end after " + limit + ", nor after an interrupt; the process ends");
            }
        }

        /** Ends the limit; answers the failure if it was reached. */
        synchronized Optional<AssertionError> end() {
            WATCHED.remove(this);
            ended = true;
            if (threads == null) {
                return Optional.empty();
            }
            Thread.interrupted();           // ours, and not for what comes next on this thread
            return Optional.of(new AssertionError(
                    name + " hung: no end after " + limit + ". All threads:\n" + threads));
        }
    }
}
