package volsh.ship;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import volsh.block.BlockStore;
import volsh.block.NoSuchBlockException;
import volsh.block.UnavailableException;

/**
 * A store that metadata is shipped to. It is opened when needed, and not used for some seconds after a failure; twice
 * as long each time it is late again. A store that accepts a request but does not answer in time has failed, and is not
 * used before that request has ended. Used by one thread at a time.
 */
final class Replica {
    private static final Logger LOG = System.getLogger("volsh.ship");

    private final Replicas.Source source;
    private final Limits limits;
    private @Nullable BlockStore idle;   // open and not in use; null if it has to be opened
    private @Nullable Attempt<?> late;   // the last one that did not succeed
    private boolean away;
    private int timesLate;
    private long due;
    private boolean level;

    /**
     * How long to wait for a replica.
     *
     * @param answer for one call; a second more for each MiB
     * @param pause  before it is used again after a failure
     * @param longest pause, if it is late again and again
     */
    record Limits(Duration answer, Duration pause, Duration longest) {
        static final Limits STANDARD = new Limits(Duration.ofSeconds(20), Duration.ofSeconds(5), Duration.ofMinutes(2));

        private Duration answer(long bytes) {
            return answer.plusMillis((bytes >> 10) * 1000 >> 10);
        }

        private Duration pause(int timesLate) {
            var grown = pause.multipliedBy(1L << Math.min(timesLate, 20));
            return grown.compareTo(longest) < 0 ? grown : longest;
        }
    }

    /** Work on the store. It may continue after its caller has given up: it must not use the caller's memory. */
    interface Work<R> {
        R run(BlockStore store) throws IOException;
    }

    Replica(Replicas.Source source, Limits limits) {
        this.source = source;
        this.limits = limits;
    }

    String name() {
        return source.name();
    }

    /** Whether it has everything that is shipped. */
    boolean isLevel() {
        return level;
    }

    void setLevel(boolean has) {
        level = has;
    }

    boolean isUsable() {
        return (late == null || late.hasEnded()) && (!away || System.nanoTime() - due >= 0);
    }

    /**
     * Runs work that transfers this many bytes.
     * @throws IOException also on a timeout; then the store is not used for a while
     */
    <R> R call(long bytes, Work<R> work) throws IOException {
        var attempt = new Attempt<>(work, idle);
        idle = null;
        late = attempt;   // until it has ended
        var limit = limits.answer(bytes);
        try {
            R result = attempt.await(limit);
            answered(attempt);
            return result;
        } catch (NoSuchBlockException answer) {
            answered(attempt);
            throw answer;
        } catch (TimeoutException hangs) {
            timesLate++;
            var failure = new UnavailableException("timed out: no answer for %d s".formatted(limit.toSeconds()), hangs);
            failed(failure);
            throw failure;
        } catch (IOException failed) {
            failed(failed);
            throw failed;
        }
    }

    private void answered(Attempt<?> attempt) {
        idle = attempt.store;
        late = null;
        away = false;
        timesLate = 0;
    }

    private void failed(IOException why) {
        LOG.log(away ? Level.DEBUG : Level.WARNING,
                "cannot ship metadata to store '%s'; will retry: %s".formatted(name(), why.getMessage()));
        away = true;
        level = false;
        due = System.nanoTime() + limits.pause(timesLate).toNanos();
    }

    void close() throws IOException {
        if (idle != null) {
            var last = idle;
            idle = null;
            last.close();
        }
    }

    /**
     * One call, in a thread of its own. If it fails or its caller gives up, it closes the store: what answers later may
     * be something else.
     */
    private final class Attempt<R> {
        private final Work<R> work;
        private final FutureTask<R> task = new FutureTask<>(this::run);
        private final Thread thread;
        private @Nullable BlockStore store;
        private boolean abandoned;
        private boolean ended;

        Attempt(Work<R> work, @Nullable BlockStore store) {
            this.work = work;
            this.store = store;
            this.thread = Thread.ofPlatform().daemon().name("replica-" + name()).start(task);
        }

        private R run() throws IOException {
            boolean answered = false;
            try {
                if (store == null) {
                    store = source.opening().open();
                }
                R result = work.run(store);
                answered = true;
                return result;
            } catch (NoSuchBlockException answer) {
                answered = true;
                throw answer;
            } finally {
                end(answered);
            }
        }

        private synchronized void end(boolean answered) {
            ended = true;
            if (abandoned || !answered) {
                closeStore();
            }
        }

        private void closeStore() {
            try {
                if (store != null) {
                    store.close();
                }
            } catch (IOException unclosed) {
                LOG.log(Level.DEBUG, "store '%s' could not be closed".formatted(name()), unclosed);
            }
            store = null;
        }

        boolean hasEnded() {
            return task.isDone();
        }

        R await(Duration limit) throws IOException, TimeoutException {
            try {
                return task.get(limit.toNanos(), TimeUnit.NANOSECONDS);
            } catch (TimeoutException late) {
                abandon();
                throw late;
            } catch (InterruptedException stopped) {
                abandon();
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while waiting for store '%s'".formatted(name()));
            } catch (ExecutionException failed) {
                switch (failed.getCause()) {
                    case IOException known -> throw known;
                    case RuntimeException known -> throw known;
                    case Error known -> throw known;
                    case null, default -> throw new IOException(failed.getCause());
                }
            }
        }

        /** Its thread continues until the store answers, or is interrupted where that is possible. */
        private synchronized void abandon() {
            abandoned = true;
            if (ended) {
                closeStore();
            } else {
                thread.interrupt();
            }
        }
    }
}
