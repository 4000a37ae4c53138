package volsh.mount;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import volsh.bucketfs.BucketFileSystem;
import volsh.bucketfs.ObjectWrites.Unstored;
import volsh.event.EventLog;
import volsh.event.Happening;
import volsh.fs.ShellWord;
import volsh.fuse.OperationStats;
import volsh.mount.MountTrouble.Kind;
import volsh.unit.ByteSize;

/** Monitors a mount of a bucket: stores what could not be stored, and adds events when troubles begin and end. */
final class BucketWatch implements AutoCloseable {
    private static final Duration EVERY = Duration.ofSeconds(2);
    private static final Duration FAILURE_KEPT = Duration.ofSeconds(10);

    private final BucketFileSystem files;
    private final BucketSpec spec;
    private final EventLog events;
    private final OperationStats requests;
    private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(2,
            Thread.ofPlatform().name("bucket-watch").daemon().factory());
    private final Map<Kind, Instant> reported = new EnumMap<>(Kind.class);   // since when; guarded by this
    private volatile @Nullable Instant detachedSince;   // null while it is mounted

    BucketWatch(BucketFileSystem files, BucketSpec spec, EventLog events, OperationStats requests) {
        this.files = files;
        this.spec = spec;
        this.events = events;
        this.requests = requests;
        var _ = timer.scheduleWithFixedDelay(this::tell, EVERY.toMillis(), EVERY.toMillis(), TimeUnit.MILLISECONDS);
        var _ = timer.scheduleWithFixedDelay(this::storeLeft, EVERY.toMillis(), EVERY.toMillis(),
                TimeUnit.MILLISECONDS);
    }

    void detached() {
        detachedSince = detachedSince == null ? Instant.now() : detachedSince;
    }

    private void storeLeft() {
        try {
            files.writes().storeLeft();
        } catch (IOException | RuntimeException later) {
            // the files stay, and their failure is reported
        }
    }

    /** The current troubles, which are also added to the events. */
    List<MountTrouble> tellTroubles() {
        tell();
        return troubles();
    }

    private synchronized void tell() {
        try {
            var now = troubles().stream()
                    .collect(Collectors.toMap(MountTrouble::kind, trouble -> trouble, (first, second) -> first));
            for (var kind : Set.copyOf(reported.keySet())) {
                if (!now.containsKey(kind)) {
                    events.add(Happening.Level.INFO, "mount", spec.mountPoint().toString(),
                            "resolved: %s since %s".formatted(kind, reported.remove(kind)));
                }
            }
            for (var trouble : now.values()) {
                if (reported.putIfAbsent(trouble.kind(), trouble.since()) == null) {
                    events.add(Happening.Level.ERROR, "mount", spec.mountPoint().toString(),
                            "%s: %s; %s".formatted(trouble.kind(), trouble.sentence(), trouble.command()));
                }
            }
        } catch (RuntimeException later) {
            // reported the next time
        }
    }

    private List<MountTrouble> troubles() {
        var all = new ArrayList<MountTrouble>();
        var unstored = files.writes().unstored();
        unstored.stream().filter(file -> file.trouble() != null).findFirst().ifPresent(first -> all.add(
                trouble(first, unstored.stream().filter(file -> file.trouble() != null).toList())));
        for (var failed : requests.failed()) {
            var kind = MountTrouble.kind(failed.cause());
            if (failed.at().plus(FAILURE_KEPT).isAfter(Instant.now()) && kind != Kind.FENCED
                    && all.stream().noneMatch(other -> other.kind() == kind)) {
                all.add(new MountTrouble(kind, failed.at(), "%s failed: %s".formatted(failed.request(),
                        MountTrouble.words(failed.cause())), kind == Kind.REFUSED || kind == Kind.UNAVAILABLE
                                ? listing() : showing()));
            }
        }
        var since = detachedSince;
        if (since != null) {
            all.add(new MountTrouble(Kind.DETACHED, since, "unmounted, but process %d is still storing %s"
                    .formatted(ProcessHandle.current().pid(), size(unstored)), discarding()));
        }
        all.sort((first, second) -> second.kind().compareTo(first.kind()));
        return all;
    }

    private MountTrouble trouble(Unstored first, List<Unstored> failed) {
        var cause = Objects.requireNonNull(first.trouble());
        return new MountTrouble(MountTrouble.kind(cause), first.since(),
                "%s in %d files cannot be stored, and will be once that works: %s".formatted(size(failed),
                        failed.size(), MountTrouble.words(cause)), cure(MountTrouble.kind(cause)));
    }

    /** A command that helps without losing anything, if there is one; discarding is the last resort. */
    private String cure(Kind kind) {
        return kind == Kind.REFUSED || kind == Kind.UNAVAILABLE ? listing() : discarding();
    }

    /** Reaches the bucket as the mount does, and says what is wrong. */
    private String listing() {
        var words = new StringBuilder("volsh ls ").append(ShellWord.of(spec.source()));
        spec.given().forEach((name, value) -> words.append(" --").append(name)
                .append(value.equals("true") ? "" : "=" + ShellWord.of(value)));
        return words.toString();
    }

    private static ByteSize size(List<Unstored> some) {
        return new ByteSize(some.stream().mapToLong(Unstored::bytes).sum());
    }

    private String showing() {
        return "volsh mounts stats " + ShellWord.of(spec.mountPoint());
    }

    private String discarding() {
        return "volsh umount --discard --dry-run %s%s".formatted(
                detachedSince == null ? "" : "--pid %d ".formatted(ProcessHandle.current().pid()),
                ShellWord.of(spec.mountPoint()));
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
