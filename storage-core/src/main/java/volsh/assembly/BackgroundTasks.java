package volsh.assembly;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import volsh.catalog.Log;

/**
 * The background tasks of an open volume, which run again and again, and which of them fail. A single failure is left
 * to the next run. From the second failure in a row on, a task is failing: that is logged in one line, which becomes an
 * event of a mount, and again when the task works or fails for another reason; {@link #failing} lists it meanwhile.
 * Thread-safe.
 */
public final class BackgroundTasks {
    private static final int REPEATED = 2;

    private final String volume;
    private final InstantSource clock;
    private final Map<Task, Failing> failing = new ConcurrentHashMap<>();

    public BackgroundTasks(String volume, InstantSource clock) {
        this.volume = volume;
        this.clock = clock;
    }

    /**
     * What is done in the background, and a command that does the same in the foreground, and so shows what is wrong.
     */
    public enum Task {
        RECLAIM("reclaiming deleted blocks", "volsh volume gc %s"),
        COLLECT("collecting garbage", "volsh volume gc %s"),
        SHIP("shipping metadata", "volsh volume ship %s"),
        HEAL("healing blocks", "volsh heal %s"),
        PACK("storing small files together", "volsh volume compact %s"),
        GATHER("storing new small files together", "volsh volume compact %s"),
        SESSIONS("ending stale sessions", "volsh volume show %s");

        private final String words;
        private final String command;

        Task(String words, String command) {
            this.words = words;
            this.command = command;
        }

        @Override
        public String toString() {
            return words;
        }
    }

    /**
     * A task that has failed {@code times} times in a row since {@code since}, last for this reason; {@code next} is a
     * command that shows more.
     */
    public record Failing(Task task, Instant since, long times, String reason, String next) {}

    public interface Work {
        void run() throws IOException;
    }

    /** Runs the task once; a failure is remembered, not thrown. */
    public void run(Task task, Work work) {
        try {
            work.run();
            succeeded(task);
        } catch (IOException | RuntimeException failed) {
            failed(task, failed);
        }
    }

    public void succeeded(Task task) {
        var before = failing.remove(task);
        if (before != null && before.times() >= REPEATED) {
            Log.LOG.log(Level.INFO,
                    "volume '%s': %s works again after failing since %s".formatted(volume, task, before.since()));
        }
    }

    public void failed(Task task, Exception why) {
        var before = failing.get(task);
        var now = new Failing(task, before == null ? clock.instant() : before.since(),
                before == null ? 1 : before.times() + 1, reason(why), task.command.formatted(volume));
        failing.put(task, now);
        if (now.times() == REPEATED
                || now.times() > REPEATED && before != null && !now.reason().equals(before.reason())) {
            Log.LOG.log(Level.WARNING, "volume '%s': %s has failed since %s; will retry: %s"
                    .formatted(volume, task, now.since(), now.reason()));
        }
        Log.LOG.log(Level.DEBUG, "volume '%s': %s failed".formatted(volume, task), why);
    }

    private static String reason(Exception why) {
        return (why.getMessage() == null ? why.getClass().getSimpleName() : why.getMessage()).replace('\n', ' ');
    }

    /** The tasks that fail repeatedly now, the longest-failing first. */
    public List<Failing> failing() {
        var all = new ArrayList<>(failing.values());
        all.removeIf(each -> each.times() < REPEATED);
        all.sort(Comparator.comparing(Failing::since));
        return all;
    }
}
