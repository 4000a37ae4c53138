package volsh.command.cache;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import volsh.catalog.Access;
import volsh.catalog.Refusal;
import volsh.command.Session;
import volsh.command.cache.Targets.Target;
import volsh.command.console.Progress;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.mount.Mounts;
import volsh.volume.OpeningRequest;
import volsh.volume.Volume;
import volsh.volume.Volumes;
import volsh.warm.JobStatus;
import volsh.warm.WarmJob;
import volsh.warm.Wish;

/**
 * Runs work on a cache: in the mount that uses the cache, whose progress is polled, or in this process with the volume
 * and its cache directories opened. Ctrl-C cancels it in either; completed work stays.
 */
final class Doing {
    private static final long LOOK_NANOS = Duration.ofMillis(100).toNanos();

    private static final int FAREWELL_LOOKS = 100;
    private static final Duration FAREWELL = Duration.ofSeconds(10);

    private final Session session;
    private final CacheChoice choice;
    private final String purpose;

    Doing(Session session, CacheChoice choice, String purpose) {
        this.session = session;
        this.choice = choice;
        this.purpose = purpose;
    }

    /** A job in progress. */
    private interface Running {
        JobStatus status() throws IOException;

        void cancel() throws IOException;
    }

    /** Opens the volume with the named cache directories. */
    Volume open(String volume) throws Exception {
        return session.service(Volumes.class)
                .open(OpeningRequest.of(volume, Access.READ, purpose).dated(session.clock()).cached(choice.caching()));
    }

    /** Runs the wish to its end. @throws IOException if it failed */
    JobStatus run(Target target, Wish wish) throws Exception {
        return target.mount().isPresent() ? remotely(target, wish) : here(target, wish);
    }

    private JobStatus remotely(Target target, Wish wish) throws Exception {
        var mounts = session.service(Mounts.class);
        var mountPoint = target.mount().get().mountPoint();
        long number = mounts.start(mountPoint, wish);
        return await(new Running() {
            @Override
            public JobStatus status() throws IOException {
                return mounts.job(mountPoint, number);
            }

            @Override
            public void cancel() throws IOException {
                mounts.cancelJob(mountPoint, number);
            }
        });
    }

    private JobStatus here(Target target, Wish wish) throws Exception {
        try (var volume = open(target.volume())) {
            var job = new WarmJob(volume.vfs(), volume.caches(), wish, session.clock());
            var thread = Thread.ofPlatform().name("job").daemon().start(job::run);
            try {
                return await(new Running() {
                    @Override
                    public JobStatus status() {
                        return job.status();
                    }

                    @Override
                    public void cancel() {
                        job.cancel();
                    }
                });
            } finally {
                job.cancel();
                var _ = thread.join(FAREWELL);
            }
        }
    }

    private JobStatus await(Running running) throws Exception {
        try (var progress = session.progress(purpose, -1)) {
            var status = running.status();
            long shown = show(progress, status, 0);
            int asked = 0;
            while (!status.isOver()) {
                LockSupport.parkNanos(LOOK_NANOS);
                if (session.cancellation().requested()) {
                    running.cancel();
                    if (++asked > FAREWELL_LOOKS) {   // a disk or a store hangs; the thread ends eventually
                        break;
                    }
                }
                status = running.status();
                shown = show(progress, status, shown);
            }
            session.cancellation().check();
            return ended(status);
        }
    }

    private static long show(Progress progress, JobStatus status, long shown) {
        if (status.totalBytes() >= 0) {
            progress.total(status.totalBytes());
        }
        progress.add(status.doneBytes() - shown);
        return status.doneBytes();
    }

    private static JobStatus ended(JobStatus status) throws IOException {
        return switch (status.state()) {
            case DONE, RUNNING -> status;
            case CANCELLED -> throw new Refusal(Refusal.Reason.UNAVAILABLE, "the mount ended before the work was done",
                    "volsh mounts list");
            case FAILED -> throw exception(status.problem().orElseThrow());
        };
    }

    private static IOException exception(JobStatus.Problem problem) {
        return switch (problem.kind()) {
            case "DAMAGED" -> new Refusal(Refusal.Reason.DAMAGED, problem.text());
            case "UNAVAILABLE" -> new Refusal(Refusal.Reason.UNAVAILABLE, problem.text());
            default -> new FsException(FsError.valueOf(problem.kind()), problem.text());
        };
    }
}
