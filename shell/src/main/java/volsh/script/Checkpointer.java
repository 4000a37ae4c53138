package volsh.script;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import volsh.catalog.Access;
import volsh.catalog.Home;
import volsh.checkpoint.Checkpoint;
import volsh.checkpoint.Checkpoints;
import volsh.checkpoint.LocalStage;
import volsh.checkpoint.Retention;
import volsh.checkpoint.SaveRequest;
import volsh.checkpoint.Saver;
import volsh.command.Session;
import volsh.disk.LocalTrees;
import volsh.fs.Owner;
import volsh.transfer.Observer;
import volsh.unit.Span;
import volsh.volume.Volume;
import volsh.volume.Volumes;

/**
 * Saves checkpoints of one run in the background of a script. {@code save} copies its argument to the local disk and
 * returns; a step that arrives while too many wait is skipped with a warning, and counted. {@code await} and
 * {@code close} throw failures; {@code save} warns of them, and continues.
 */
public final class Checkpointer implements AutoCloseable {
    private static final List<String> OPTIONS = List.of("run", "keep", "waiting");
    private static final int PARALLEL = 4;

    private final Session session;
    private final Volume volume;
    private final Checkpoints checkpoints;
    private final String run;
    private final LocalStage stage;
    private final Saver saver;
    private long warned;
    private boolean closed;

    private Checkpointer(Session session, Volume volume, String run, @Nullable Retention keep, int waiting)
            throws Exception {
        this.session = session;
        this.volume = volume;
        this.run = Checkpoints.checkRun(run);
        this.checkpoints = new Checkpoints(volume.spec().name(), volume.vfs(), session.service(Owner.class),
                session.clock(), PARALLEL, Observer.NONE);
        this.stage = new LocalStage(session.service(Home.class).state().resolve("staged"));
        this.saver = new Saver(waiting, saved -> thin(keep));
    }

    static Checkpointer open(Session session, String volume, Map<String, ?> how) throws Exception {
        for (String name : how.keySet()) {
            if (!OPTIONS.contains(name)) {
                throw Arguments.usage("checkpointer has no option '%s' (options: %s)"
                        .formatted(name, String.join(", ", OPTIONS)));
            }
        }
        if (how.get("run") == null) {
            throw Arguments.usage("missing run, such as: checkpointer('%s', run: 'r1')".formatted(volume));
        }
        var keep = how.get("keep") == null ? null : Retention.of(how.get("keep").toString());
        int waiting = how.get("waiting") instanceof Number number ? number.intValue() : 1;
        var opened = session.service(Volumes.class).open(volume, Access.WRITE, "checkpointer");
        try {
            return new Checkpointer(session, opened, how.get("run").toString(), keep, waiting);
        } catch (Exception refused) {
            opened.close();
            throw refused;
        }
    }

    private void thin(@Nullable Retention keep) throws IOException {
        if (keep != null) {
            for (Checkpoint spare : checkpoints.spare(run, keep)) {
                checkpoints.destroy(spare);
            }
        }
    }

    /** Saves a directory or file as this step; true if it will be, false if it is skipped. */
    public boolean save(long step, Object path) throws IOException {
        return save(Map.of(), step, path);
    }

    /** The same with metrics: {@code saver.save(100, 'out', loss: 0.31)}. */
    public boolean save(Map<String, ?> metrics, long step, Object path) throws IOException {
        var numbers = new LinkedHashMap<String, Double>();
        metrics.forEach((name, value) -> numbers.put(name, ((Number) value).doubleValue()));
        var before = saver.status();
        if (before.failed() > warned) {
            warned = before.failed();
            session.warn("a step was not saved: " + before.errors().getLast());
        }
        if (saver.skips()) {
            return skipped(step);
        }
        Path copy = stage.copy(Path.of(path.toString()), new LocalStage.Purpose(volume.spec().name(), run, step));
        var answer = Saver.Answer.SKIPPED;
        try {
            answer = saver.offer(step, () -> {
                var saved = checkpoints.save(new SaveRequest(run, step, copy, numbers, Map.of(), false));
                LocalTrees.remove(copy);
                return saved;
            });
        } finally {
            if (answer == Saver.Answer.SKIPPED) {
                LocalTrees.remove(copy);
            }
        }
        return answer == Saver.Answer.QUEUED || skipped(step);
    }

    private boolean skipped(long step) {
        session.warn("step %d of run '%s' is skipped: an earlier step is still being saved".formatted(step, run));
        return false;
    }

    /** How it stands: waiting, running, last, saved, skipped, failed, errors. */
    public Map<String, Object> getStatus() {
        return map(saver.status());
    }

    private static Map<String, Object> map(Saver.Status status) {
        var map = new LinkedHashMap<String, Object>();
        map.put("waiting", status.waiting());
        map.put("running", status.running().isPresent() ? status.running().getAsLong() : null);
        map.put("last", status.last().isPresent() ? status.last().getAsLong() : null);
        map.put("saved", status.saved());
        map.put("skipped", status.skipped());
        map.put("failed", status.failed());
        map.put("errors", status.errors());
        return map;
    }

    /** Waits until all are saved. */
    public Map<String, Object> await() throws IOException {
        return map(saver.await(Duration.ofDays(365)));
    }

    /** Waits at most this long. */
    public Map<String, Object> await(Object time) throws IOException {
        return map(saver.await(Span.of(time.toString()).duration()));
    }

    /** Finishes what waits, then ends. */
    @Override
    public synchronized void close() throws IOException {
        if (!closed) {
            closed = true;
            try (volume) {
                saver.close();
            }
        }
    }
}
