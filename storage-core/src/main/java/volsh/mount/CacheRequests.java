package volsh.mount;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import volsh.cache.disk.PinTooLargeException;
import volsh.catalog.Refusal;
import volsh.volume.Volume;
import volsh.warm.JobStatus;
import volsh.warm.Prefetch;
import volsh.warm.PrefetchStatus;
import volsh.warm.Undertaking;
import volsh.warm.WarmJob;
import volsh.warm.Wish;

/** The requests about a mount's caches. */
final class CacheRequests implements AutoCloseable {
    private final Volume volume;
    private final InstantSource clock;
    private final MountJobs jobs = new MountJobs();

    CacheRequests(Volume volume, InstantSource clock) {
        this.volume = volume;
        this.clock = clock;
    }

    long start(Wish wish) throws IOException {
        return jobs.start(new WarmJob(volume.vfs(), volume.caches(), wish, clock));
    }

    JobStatus status(long number) throws IOException {
        return jobs.find(number, WarmJob.class).status();
    }

    List<Mounts.RunningJob> running() {
        return jobs.running().entrySet().stream()
                .map(job -> new Mounts.RunningJob(job.getKey(), job.getValue().about())).toList();
    }

    void cancel(long number) throws IOException {
        jobs.find(number, Undertaking.class).cancel();
    }

    long prefetch(int ahead) throws IOException {
        return jobs.start(new Prefetch(volume.vfs(), volume.caches(), ahead));
    }

    PrefetchStatus add(long number, List<String> names) throws IOException {
        var prefetch = jobs.find(number, Prefetch.class);
        prefetch.add(names);
        return prefetch.status();
    }

    void complete(long number) throws IOException {
        jobs.find(number, Prefetch.class).complete();
    }

    /** @throws Refusal NO_SPACE if the pinned data would not fit */
    void resize(Path directory, long quotaBytes) throws IOException {
        try {
            volume.caches().requests().resize(directory, quotaBytes);
        } catch (PinTooLargeException refused) {
            throw new Refusal(Refusal.Reason.NO_SPACE, refused.getMessage(), refused);
        }
    }

    @Override
    public void close() {
        jobs.close();
    }
}
