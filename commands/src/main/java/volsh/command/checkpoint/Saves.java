package volsh.command.checkpoint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import volsh.catalog.Home;
import volsh.catalog.VolumePath;
import volsh.checkpoint.Checkpoint;
import volsh.checkpoint.Checkpoints;
import volsh.checkpoint.LocalStage;
import volsh.checkpoint.Manifest;
import volsh.checkpoint.Underway;
import volsh.command.Session;
import volsh.command.failure.ExitCode;
import volsh.job.Job;
import volsh.job.JobState;
import volsh.job.Jobs;
import volsh.mount.Mounts;
import volsh.mount.SaverStatus;
import volsh.volume.Durability;

/**
 * The saves in progress, collected from the jobs of this home ({@code --background}), copies on its disk that no
 * job saves, the queues of its mounts, and the volume, which also knows of other hosts.
 */
final class Saves {
    private final Session session;
    private final Mounts mounts;

    Saves(Session session) throws Exception {
        this.session = session;
        this.mounts = session.service(Mounts.class);
    }

    /** The saves of all volumes that this home knows without opening a volume. */
    List<Save> ofHome() throws Exception {
        var found = local(null);
        for (var mount : mounted(null)) {
            found.addAll(ofMount(mount));
        }
        return found;
    }

    /** The queue of a mount. */
    List<Save> ofMount(Path mount) throws Exception {
        var rows = new ArrayList<Save>();
        for (var queue : mounts.checkpoints(mount)) {
            rows.add(queue(volumeOf(mount), queue));
        }
        return rows;
    }

    /** The saves of one volume: those in progress, and failed saves whose checkpoint does not exist. */
    List<Save> ofVolume(String volume, Checkpoints checkpoints) throws Exception {
        var local = local(volume);
        var busy = new HashSet<Long>();
        jobs(volume).stream().filter(job -> job.job().state().isOpen())
                .forEach(job -> job.job().pid().ifPresent(busy::add));
        stage().list().stream().filter(LocalStage.Copy::alive).forEach(copy -> busy.add(copy.pid()));
        for (var mount : mounts.list()) {
            if (mount.record().source().volume().equals(volume) && mount.serves()) {
                var queue = ofMount(mount.record().mountPoint());
                local.addAll(queue);
                if (!queue.isEmpty()) {
                    busy.add(mount.record().pid());
                }
            }
        }
        var found = new ArrayList<Save>();
        for (var one : local) {
            if (!one.state().isTrouble() || one.step() == null || !checkpoints.has(one.run(), one.step())) {
                found.add(one);
            }
        }
        for (var one : checkpoints.underway()) {
            boolean told = one.pid().isPresent() && busy.contains(one.pid().getAsLong())
                    || one.state() == Underway.State.LEFT
                    && found.stream().anyMatch(save -> save.is(one.run(), one.step()));
            if (!told) {
                found.add(underway(volume, one));
            }
        }
        return found;
    }

    /** A saved checkpoint with its durability; {@code latest} if it is the one to resume from. */
    Save saved(String volume, Checkpoint found, boolean latest) throws IOException {
        var state = !found.valid() ? Save.State.DAMAGED : latest || found.latest() ? Save.State.LATEST
                : Save.State.SAVED;
        var level = mounts.durability(new VolumePath(volume, found.path())).state();
        var saved = found.manifest().map(Manifest::saved).orElse(null);
        return new Save(volume, found.run(), found.step(), state, level, "", true, saved, found.trouble(), null, null,
                0);
    }

    /** The mounts of this home that answer, of one volume or of all. */
    List<Path> mounted(@Nullable String volume) throws IOException {
        return mounts.list().stream().filter(Mounts.Status::serves).map(Mounts.Status::record)
                .filter(record -> volume == null || record.source().volume().equals(volume))
                .map(record -> record.mountPoint()).toList();
    }

    private String volumeOf(Path mount) throws IOException {
        return mounts.volumePath(mount).map(VolumePath::volume).orElse("");
    }

    private LocalStage stage() throws Exception {
        return new LocalStage(session.service(Home.class).state().resolve("staged"));
    }

    private List<SaveJob> jobs(@Nullable String volume) throws Exception {
        return session.service(Jobs.class).list().stream().flatMap(job -> SaveJob.of(job).stream())
                .filter(job -> volume == null || job.volume().equals(volume)).toList();
    }

    /** Jobs, and copies that no job saves. */
    private List<Save> local(@Nullable String volume) throws Exception {
        var found = new ArrayList<Save>();
        var saved = new HashSet<Path>();
        for (var one : jobs(volume)) {
            saved.add(one.copy());
            if (one.job().state().isOpen() || one.job().state() != JobState.DONE && Files.exists(one.copy())) {
                found.add(job(one));
            }
        }
        for (var copy : stage().list()) {
            if (!saved.contains(copy.path()) && (volume == null || copy.purpose().volume().equals(volume))) {
                found.add(copy(copy));
            }
        }
        return found;
    }

    private static Save job(SaveJob one) {
        Job job = one.job();
        String rank = one.rank().isPresent() ? ", rank " + one.rank().getAsInt() : "";
        String again = SaveJob.again(one.volume(), one.run(), one.step(), one.rank(), one.copy());
        var state = switch (job.state()) {
            case STARTING -> Save.State.STAGED;
            case RUNNING, ELSEWHERE -> Save.State.SAVING;
            case LOST -> Save.State.LOST;
            case DONE, FAILED, CANCELLED -> Save.State.FAILED;
        };
        String note = switch (state) {
            case FAILED -> "exit %d, see volsh job log %s; to save the copy: %s".formatted(job.exit().orElse(1),
                    job.id(), again);
            case LOST -> "its process is gone; to save the copy: " + again;
            case LATEST, SAVED, DAMAGED, IDLE, STAGED, SAVING, GATHERING -> "";
        };
        return new Save(one.volume(), one.run(), one.step(), state, Durability.State.STAGED,
                "job " + job.id() + rank, job.state() != JobState.ELSEWHERE, job.started(), note, one.copy(), null,
                job.exit().orElse(ExitCode.FAILED.status()));
    }

    private static Save copy(LocalStage.Copy copy) {
        var to = copy.purpose();
        return new Save(to.volume(), to.run(), to.step(), copy.alive() ? Save.State.SAVING : Save.State.LOST,
                Durability.State.STAGED, "process " + copy.pid(), true, copy.since(),
                copy.alive() ? "" : "its process is gone; to save the copy: " + SaveJob.again(to.volume(), to.run(),
                to.step(), to.rank(), copy.path()), copy.path(), null, ExitCode.FAILED.status());
    }

    private static Save queue(String volume, SaverStatus queue) {
        var notes = new ArrayList<String>();
        if (queue.waiting() > 0) {
            notes.add(queue.waiting() + " waiting");
        }
        if (queue.skipped() > 0) {
            notes.add(queue.skipped() + " skipped");
        }
        if (queue.failed() > 0) {
            notes.add("%d failed, last error: %s".formatted(queue.failed(), queue.error()));
        }
        return new Save(volume, queue.run(), queue.running() == null ? queue.last() : queue.running(),
                queue.idle() ? Save.State.IDLE : Save.State.SAVING, null, "mount " + queue.mount(), true, null,
                String.join(", ", notes), null, queue, 0);
    }

    private Save underway(String volume, Underway one) {
        String by = one.world() > 0 ? "%d of %d ranks".formatted(one.ranks().size(), one.world())
                : (one.pid().isPresent() ? "process " + one.pid().getAsLong() : "another host")
                        + (one.ranks().isEmpty() ? "" : ", " + Underway.said(one.ranks()));
        boolean over = one.until().map(until -> until.isBefore(session.clock().instant())).orElse(false);
        var state = switch (one.state()) {
            case WRITING -> Save.State.SAVING;
            case GATHERING -> over ? Save.State.FAILED : Save.State.GATHERING;
            case LEFT -> Save.State.LOST;
        };
        return new Save(volume, one.run(), one.step(), state, null, by, one.world() > 0 || one.pid().isPresent(), null,
                note(one, over), null, null, ExitCode.UNAVAILABLE.status());
    }

    private static String note(Underway one, boolean over) {
        return switch (one.state()) {
            case WRITING -> "";
            case LEFT -> "its process is gone; the next save removes its leftovers";
            case GATHERING -> {
                var missing = one.missing();
                String ranks = missing.isEmpty() ? "all ranks are saved"
                        : Underway.said(missing) + (missing.size() == 1 ? " is missing" : " are missing");
                yield ranks + (over ? ", timed out"
                        : one.until().map(until -> ", waiting until " + until.truncatedTo(ChronoUnit.SECONDS))
                        .orElse(""));
            }
        };
    }
}
