package volsh.mount;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import volsh.catalog.VolumePath;
import volsh.checkpoint.Checkpoint;
import volsh.checkpoint.Checkpoints;
import volsh.checkpoint.Retention;
import volsh.checkpoint.SaveRequest;
import volsh.checkpoint.Saver;
import volsh.fs.Owner;
import volsh.transfer.Observer;
import volsh.volume.Volume;

/**
 * The requests about checkpoints. A mount saves them in the background, those of a run one after the other; see {@link
 * Saver}.
 *
 * <pre>
 *   checkpoint-save RUN STEP PATH [keep=RULES] [metric:NAME=NUMBER]... [label:NAME=TEXT]...    queued | skipped
 *   checkpoint-status                                                                          a line for each run
 *   checkpoint-wait MILLISECONDS [RUN]             the same, once they are done, or at the timeout
 * </pre>
 *
 * Lines are those of {@link SaverStatus#line}. A source on the mount is copied at once, without moving bytes, so that
 * the job can go on and overwrite it. A source elsewhere is read in the background and must not change; if it does,
 * that save fails. A failed save is reported by the next wait, once, and by every status; later saves are accepted
 * regardless.
 */
final class CheckpointRequests implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("volsh.checkpoint");
    private static final int PARALLEL = 4;
    private static final int PLACES = 1;

    private final VolumePath source;
    private final Path mountPoint;
    private final Volume volume;
    private final InstantSource clock;
    private final Map<String, Saver> savers = new TreeMap<>();
    private final Map<String, Retention> keep = new HashMap<>();

    CheckpointRequests(VolumePath source, Path mountPoint, Volume volume, InstantSource clock) {
        this.source = source;
        this.mountPoint = mountPoint;
        this.volume = volume;
        this.clock = clock;
    }

    /** False if it is skipped. */
    boolean save(String run, long step, Path path, List<String> options) throws IOException {
        Checkpoints.checkRun(run);
        var metrics = new TreeMap<String, Double>();
        var labels = new TreeMap<String, String>();
        for (String option : options) {
            int cut = option.indexOf('=');
            String name = cut < 0 ? option : option.substring(0, cut);
            String value = cut < 0 ? "" : option.substring(cut + 1);
            if (name.equals("keep")) {
                synchronized (this) {
                    keep.put(run, Retention.of(value));
                }
            } else if (name.startsWith("metric:")) {
                metrics.put(name.substring(7), Double.valueOf(value));
            } else if (name.startsWith("label:")) {
                labels.put(name.substring(6), value);
            } else {
                throw new IOException("unknown option of checkpoint-save: " + option);
            }
        }
        var saver = saver(run);
        return !saver.skips() && offer(saver, run, step, path, metrics, labels) == Saver.Answer.QUEUED;
    }

    private Saver.Answer offer(
            Saver saver, String run, long step, Path path, Map<String, Double> metrics, Map<String, String> labels)
            throws IOException {
        var absolute = path.normalize();
        if (!absolute.isAbsolute()) {
            throw new IOException("not an absolute path: " + path);
        }
        if (!absolute.startsWith(mountPoint)) {
            var checkpoints = checkpoints(owner(absolute));
            var request = new SaveRequest(run, step, absolute, metrics, labels, false);
            return saver.offer(step, () -> logged(run, step, () -> checkpoints.save(request)));
        }
        String inside = Path.of(source.path(), mountPoint.relativize(absolute).toString()).normalize().toString();
        var found = volume.paths().resolve(inside);
        var checkpoints = checkpoints(new Owner(found.uid(), found.gid()));
        volume.vfs().sync();    // what the job has written so far
        var staged = checkpoints.stage(run, step, inside, volume.vfs().attributes(found.ino()), metrics, labels);
        var answer = Saver.Answer.SKIPPED;
        try {
            answer = saver.offer(step, () -> logged(run, step, () -> checkpoints.finish(staged)));
        } finally {
            if (answer == Saver.Answer.SKIPPED) {
                checkpoints.abandon(staged);
            }
        }
        return answer;
    }

    /** Logs either outcome, which also makes it an event. */
    private static Checkpoint logged(String run, long step, Saver.Work work) throws IOException {
        try {
            var saved = work.run();
            LOG.log(System.Logger.Level.INFO, "saved step %d of run '%s'".formatted(step, run));
            return saved;
        } catch (IOException | RuntimeException failed) {
            LOG.log(System.Logger.Level.ERROR,
                    "saving step %d of run '%s' failed: %s".formatted(step, run, failed.getMessage()));
            throw failed;
        }
    }

    private static Owner owner(Path path) throws IOException {
        var attributes = Files.readAttributes(path, "unix:uid,gid", LinkOption.NOFOLLOW_LINKS);
        return new Owner(number(attributes, "uid"), number(attributes, "gid"));
    }

    private static int number(Map<String, Object> attributes, String name) {
        return (int) Objects.requireNonNull(attributes.get(name), name);   // what was asked for is there
    }

    private Checkpoints checkpoints(Owner owner) {
        return new Checkpoints(source.volume(), volume.vfs(), owner, clock, PARALLEL, Observer.NONE);
    }

    private synchronized Saver saver(String run) {
        return savers.computeIfAbsent(run, absent -> new Saver(PLACES, saved -> thin(run)));
    }

    private void thin(String run) throws IOException {
        Retention rules;
        synchronized (this) {
            rules = keep.get(run);
        }
        if (rules != null) {
            var checkpoints = checkpoints(Owner.ROOT);
            for (Checkpoint spare : checkpoints.spare(run, rules)) {
                checkpoints.destroy(spare);
            }
        }
    }

    private synchronized Map<String, Saver> all() {
        return new TreeMap<>(savers);
    }

    List<SaverStatus> await(Duration longest, Optional<String> run) throws IOException {
        long deadline = System.nanoTime() + longest.toNanos();
        var chosen = all();
        run.ifPresent(one -> chosen.keySet().retainAll(List.of(one)));
        for (var saver : chosen.values()) {
            saver.await(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
        }
        return statuses(chosen);
    }

    List<SaverStatus> statuses() {
        return statuses(all());
    }

    private List<SaverStatus> statuses(Map<String, Saver> savers) {
        return savers.entrySet().stream()
                .map(entry -> SaverStatus.of(mountPoint, entry.getKey(), entry.getValue().status())).toList();
    }

    /** Finishes the queued saves. */
    @Override
    public void close() {
        for (var saver : all().values()) {
            try {
                saver.close();
            } catch (IOException failed) {
                LOG.log(System.Logger.Level.ERROR, "saving a checkpoint failed: " + failed.getMessage());
            }
        }
    }
}
