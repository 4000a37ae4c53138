package volsh.mount;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import volsh.cache.Epochs;
import volsh.fuse.Asked;
import volsh.warm.JobStatus;
import volsh.warm.PrefetchStatus;
import volsh.warm.Wish;

/**
 * A request to the process of a mount through its socket, and its answer: {@code A}, as lines. {@link RequestLine}
 * converts a request to a line. A change of a request or of an answer changes {@link RequestLine#VERSION}.
 */
sealed interface MountRequest<A> {
    List<String> lines(A answer);

    /** Parses what {@link #lines} wrote. */
    A answer(List<String> lines) throws IOException;

    /**
     * Understood by mounts of every version: requests that end a mount, so that another version can be started, and
     * those sent by other programs, such as scripts/examples/train_loop.py. These never change.
     */
    sealed interface Lasting<A> extends MountRequest<A> {}

    // ---- kinds of answers

    /** Succeeds or fails, without a result. */
    sealed interface Order extends MountRequest<Void> {
        @Override
        default List<String> lines(Void done) {
            return List.of();
        }

        @Override
        default Void answer(List<String> lines) {
            return null;
        }
    }

    sealed interface Numbered extends MountRequest<Long> {
        @Override
        default List<String> lines(Long number) {
            return List.of(number.toString());
        }

        @Override
        default Long answer(List<String> lines) {
            return Long.valueOf(lines.getFirst());
        }
    }

    sealed interface Question extends MountRequest<Boolean> {
        @Override
        default List<String> lines(Boolean yes) {
            return List.of(yes.toString());
        }

        @Override
        default Boolean answer(List<String> lines) {
            return Boolean.valueOf(lines.getFirst());
        }
    }

    sealed interface OfSavers extends Lasting<List<SaverStatus>> {
        @Override
        default List<String> lines(List<SaverStatus> savers) {
            return savers.stream().map(SaverStatus::line).toList();
        }

        @Override
        default List<SaverStatus> answer(List<String> lines) {
            return lines.stream().map(SaverStatus::parse).toList();
        }
    }

    /** The first line is the number of requests dropped so far. */
    sealed interface OfRecording extends MountRequest<Mounts.Recorded> {
        @Override
        default List<String> lines(Mounts.Recorded recorded) {
            var lines = new ArrayList<>(List.of(Long.toString(recorded.dropped())));
            recorded.requests().stream().map(Asked::line).forEach(lines::add);
            return lines;
        }

        @Override
        default Mounts.Recorded answer(List<String> lines) {
            var requests = lines.stream().skip(1).map(Asked::parse).toList();
            return new Mounts.Recorded(requests, Long.parseLong(lines.getFirst()));
        }
    }

    // ---- the mount as a whole

    record PingRequest() implements Order, Lasting<Void> {}

    /** Checks that mount and command are of the same version. */
    record VersionRequest() implements Order {}

    /** Returns the mount's troubles. */
    record TroublesRequest() implements Lasting<List<MountTrouble>> {
        @Override
        public List<String> lines(List<MountTrouble> troubles) {
            return troubles.stream().map(MountTrouble::line).toList();
        }

        @Override
        public List<MountTrouble> answer(List<String> lines) throws IOException {
            var troubles = new ArrayList<MountTrouble>();
            for (var line : lines) {
                troubles.add(MountTrouble.parse(line));
            }
            return troubles;
        }
    }

    /** Writes out and stores everything; returns how many bytes are left at the timeout. */
    record StoreRequest(Duration longest) implements Numbered, Lasting<Long> {}

    /** Stores the small files that wait in the metadata; returns how many of their bytes wait at the timeout. */
    record GatherRequest(Duration longest) implements Numbered {}

    /** {@code how} holds {@value #LAZY}, {@value #DISCARD}, both or neither. */
    record UnmountRequest(List<String> how) implements Order, Lasting<Void> {
        static final String LAZY = "lazy";
        static final String DISCARD = "discard";

        public UnmountRequest {
            if (!List.of(LAZY, DISCARD).containsAll(how)) {
                throw new IllegalArgumentException("invalid way to unmount: " + how);
            }
        }

        boolean isLazy() {
            return how.contains(LAZY);
        }

        boolean discards() {
            return how.contains(DISCARD);
        }
    }

    record StatsRequest() implements MountRequest<MountStats> {
        @Override
        public List<String> lines(MountStats stats) {
            return stats.lines();
        }

        @Override
        public MountStats answer(List<String> lines) {
            return MountStats.parse(lines);
        }
    }

    record FlushRequest() implements Order {}

    /** Recounts its cache directories after files were deleted from them. */
    record RecountRequest() implements Order {}

    /** Records in the metadata that past states are no longer needed here. */
    record ReleaseRequest() implements Order {}

    /** Returns what would be lost with it. */
    record UnwrittenRequest() implements Lasting<List<UnwrittenFile>> {
        @Override
        public List<String> lines(List<UnwrittenFile> files) {
            return files.stream().map(UnwrittenFile::line).toList();
        }

        @Override
        public List<UnwrittenFile> answer(List<String> lines) throws IOException {
            var files = new ArrayList<UnwrittenFile>();
            for (var line : lines) {
                files.add(UnwrittenFile.parse(line));
            }
            return files;
        }
    }

    /** Whether the mount holds bytes of this inode that are not written out. */
    record DirtyRequest(long ino) implements Question {}

    /** Whether this inode is open. */
    record OpenRequest(long ino) implements Question {}

    // ---- its cache

    record JobRequest(Wish wish) implements Numbered {}

    record JobStatusRequest(long number) implements MountRequest<JobStatus> {
        @Override
        public List<String> lines(JobStatus status) {
            return status.lines();
        }

        @Override
        public JobStatus answer(List<String> lines) {
            return JobStatus.parse(lines);
        }
    }

    record JobsRequest() implements MountRequest<List<Mounts.RunningJob>> {
        @Override
        public List<String> lines(List<Mounts.RunningJob> jobs) {
            return jobs.stream().map(job -> job.number() + " " + job.about().replace('\n', ' ')).toList();
        }

        @Override
        public List<Mounts.RunningJob> answer(List<String> lines) {
            return lines.stream().map(line -> line.split(" ", 2))
                    .map(words -> new Mounts.RunningJob(Long.parseLong(words[0]), words[1])).toList();
        }
    }

    record CancelRequest(long number) implements Order {}

    record PrefetchRequest(int ahead) implements Numbered {}

    record NamesRequest(long number, List<String> names) implements MountRequest<PrefetchStatus> {
        @Override
        public List<String> lines(PrefetchStatus status) {
            return status.lines();
        }

        @Override
        public PrefetchStatus answer(List<String> lines) {
            return PrefetchStatus.parse(lines);
        }
    }

    record CompleteRequest(long number) implements Order {}

    record EpochsRequest() implements MountRequest<List<Epochs>> {
        @Override
        public List<String> lines(List<Epochs> tiers) {
            return Epochs.lines(tiers);
        }

        @Override
        public List<Epochs> answer(List<String> lines) {
            return Epochs.parse(lines);
        }
    }

    record UnpinRequest(String path) implements Question {}

    /** Refused as NO_SPACE if the pinned data would not fit. */
    record ResizeRequest(Path directory, long quotaBytes) implements Order {}

    // ---- recording

    record TraceStartRequest(int capacity) implements Numbered {}

    record TraceTakeRequest(long number) implements OfRecording {}

    record TraceStopRequest(long number) implements OfRecording {}

    // ---- checkpoints: see CheckpointRequests

    record CheckpointSaveRequest(String run, long step, Path path, List<String> options) implements Lasting<Boolean> {
        @Override
        public List<String> lines(Boolean queued) {
            return List.of(queued ? "queued" : "skipped");
        }

        @Override
        public Boolean answer(List<String> lines) {
            return lines.getFirst().equals("queued");
        }
    }

    record CheckpointStatusRequest() implements OfSavers {}

    record CheckpointWaitRequest(Duration longest, Optional<String> run) implements OfSavers {}
}
