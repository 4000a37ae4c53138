package volsh.block.file;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import volsh.disk.Disk;

/**
 * Syncs of directories, shared: callers that arrive while one is running wait together for a single next one. A caller
 * returns only after a sync of its directory that began after it called, so what it had renamed is durable. A sync that
 * fails fails all who waited for it: a later one that succeeds need not have saved their names.
 */
final class SharedSync {
    private final Disk disk;
    private final ConcurrentMap<Path, Turns> directories = new ConcurrentHashMap<>();

    SharedSync(Disk disk) {
        this.disk = disk;
    }

    void sync(Path directory) throws IOException {
        Turns turns = directories.computeIfAbsent(directory, each -> new Turns());
        Round round = turns.join();
        if (turns.leads(round)) {
            run(directory, turns, round);
        }
        if (round.failure != null) {
            throw new IOException("cannot sync %s: %s".formatted(directory, round.failure.getMessage()), round.failure);
        }
    }

    private void run(Path directory, Turns turns, Round round) {
        try {
            disk.syncDirectory(directory);
        } catch (IOException | RuntimeException | Error failure) {
            round.failure = failure;
        } finally {
            turns.end(round);
        }
    }

    /** One sync and all who wait for it. Fields are guarded by its {@link Turns}; nothing changes once it is over. */
    private static final class Round {
        boolean over;
        volatile Throwable failure;
    }

    /** The syncs of one directory: at most one running, and the next, which all newcomers join. */
    private static final class Turns {
        private Round next = new Round();
        private boolean running;

        synchronized Round join() {
            return next;
        }

        /** Waits until the round is over (false), or begins it and leaves it to the caller to run (true). */
        synchronized boolean leads(Round round) throws IOException {
            try {
                while (running && !round.over) {
                    wait();
                }
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while a directory was synced");
            }
            if (round.over) {
                return false;
            }
            running = true;
            next = new Round();
            return true;
        }

        synchronized void end(Round round) {
            round.over = true;
            running = false;
            notifyAll();
        }
    }
}
