package volsh.mount;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import volsh.assembly.OngoingFailure;
import volsh.care.SessionRevival;
import volsh.engine.MetaUnavailableException;
import volsh.event.EventLog;
import volsh.event.Happening;
import volsh.fs.FsException;
import volsh.fs.ShellWord;
import volsh.fs.Unwritten;
import volsh.fuse.OperationStats;
import volsh.mount.MountTrouble.Kind;
import volsh.quota.QuotaReachedException;
import volsh.unit.ByteSize;
import volsh.unit.Count;
import volsh.unit.Span;
import volsh.volume.Volume;
import volsh.volume.Volumes;

/** Monitors one mount: retries failed writes, collects its troubles, and adds events when they begin and end. */
final class MountWatch implements AutoCloseable {
    private static final Duration EVERY = Duration.ofSeconds(2);
    /** How long a failed request is reported: damage does not go away, and its end may never be known. */
    private static final Duration DAMAGE_KEPT = Duration.ofHours(1);
    private static final Duration FAILURE_KEPT = Duration.ofSeconds(10);
    /** From then on a database that does not answer is reported. */
    private static final Duration SILENT = Duration.ofSeconds(2);

    /** Kinds of trouble that may pass: what could not be written out is tried again until it can. */
    private static final Set<Kind> RETRIED = Set.of(Kind.FULL, Kind.REFUSED, Kind.UNAVAILABLE);

    private final Volumes volumes;
    private final Volume volume;
    private final MountSpec spec;
    private final EventLog events;
    private final OperationStats requests;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("mount-watch").daemon().factory());
    private final ScheduledExecutorService retries = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("mount-retry").daemon().factory());
    private final Map<Kind, Instant> reported = new EnumMap<>(Kind.class);   // since when; guarded by this
    private volatile @Nullable Instant detachedSince;   // null while it is mounted

    MountWatch(Volumes volumes, Volume volume, MountSpec spec, EventLog events, OperationStats requests) {
        this.requests = requests;
        this.volumes = volumes;
        this.volume = volume;
        this.spec = spec;
        this.events = events;
        var _ = timer.scheduleWithFixedDelay(this::tell, EVERY.toMillis(), EVERY.toMillis(), TimeUnit.MILLISECONDS);
        var _ = retries.scheduleWithFixedDelay(this::retry, EVERY.toMillis(), EVERY.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** The mount is gone, and this process only writes out what it has. */
    void detached() {
        detachedSince = detachedSince == null ? Instant.now() : detachedSince;
    }

    /** In a separate thread: an unavailable store takes a minute to fail. */
    private void retry() {
        try {
            volume.vfs().unwritten().retryFailed();
        } catch (RuntimeException later) {
            // the bytes stay, and their failure is reported
        }
    }

    private synchronized void tell() {
        try {
            var now = troubles();
            var kinds = now.stream()
                    .collect(Collectors.toMap(MountTrouble::kind, trouble -> trouble, (first, second) -> first));
            reported.keySet().stream().filter(kind -> !kinds.containsKey(kind)).toList().forEach(this::over);
            kinds.values().stream().filter(trouble -> !reported.containsKey(trouble.kind())).forEach(this::begun);
        } catch (RuntimeException later) {
            // reported the next time
        }
    }

    /** At the end of the mount: adds the end of troubles that are over. */
    private void tellEnds() {
        try {
            var left = troubles().stream().map(MountTrouble::kind).filter(kind -> kind != Kind.DETACHED)
                    .collect(Collectors.toSet());
            reported.keySet().stream().filter(kind -> !left.contains(kind)).toList().forEach(this::over);
        } catch (RuntimeException unknown) {
            // the events show that the mount has ended
        }
    }

    private void begun(MountTrouble trouble) {
        reported.put(trouble.kind(), trouble.since());
        events.add(Happening.Level.ERROR, "mount", spec.mountPoint().toString(),
                "%s: %s; %s".formatted(trouble.kind(), trouble.sentence(), trouble.command()));
    }

    private void over(Kind kind) {
        events.add(Happening.Level.INFO, "mount", spec.mountPoint().toString(),
                "resolved: %s since %s".formatted(kind, reported.remove(kind)));
    }

    /** The current troubles, which are also added to the events. */
    List<MountTrouble> tellTroubles() {
        tell();
        return troubles();
    }

    /** The current troubles, the worst first. Contacts nothing outside this process. */
    List<MountTrouble> troubles() {
        var all = new ArrayList<MountTrouble>();
        var unwritten = volume.vfs().unwritten().files();
        unwritten(unwritten, all);
        volume.sessionFailure().ifPresent(failure -> all.add(session(failure, unwritten.isEmpty())));
        elsewhere(all);
        volume.clockJump().ifPresent(jump -> all.add(new MountTrouble(Kind.CLOCK, jump.found(), clock(jump.by()),
                "volsh volume gc " + spec.source().volume())));
        var staged = volume.staged();
        staged.damaged().stream().findFirst()
                .ifPresent(file -> all.add(new MountTrouble(Kind.DAMAGED, staged.oldest().orElse(Instant.now()),
                        "journal file corrupt: %s".formatted(file),
                        "volsh mounts show " + ShellWord.of(spec.mountPoint()))));
        staged.trouble().ifPresent(why -> all.add(new MountTrouble(why.full() ? Kind.FULL : Kind.AT_RISK,
                staged.oldest().orElse(Instant.now()),
                "%s in the journal cannot be stored: %s".formatted(new ByteSize(staged.bytes()), why.words()),
                why.full() ? room() : "volsh store probe " + volume.spec().store())));
        requests(all);
        silence(all);
        var since = detachedSince;
        if (since != null) {
            all.add(new MountTrouble(Kind.DETACHED, since, "unmounted, but process %d is still writing out %s"
                    .formatted(ProcessHandle.current().pid(), new ByteSize(
                            unwritten.stream().mapToLong(Unwritten::bytes).sum() + staged.bytes())), discarding()));
        }
        all.sort((first, second) -> second.kind().compareTo(first.kind()));
        return all;
    }

    /** Requests that wait for the database fail only at the timeout. */
    private void silence(List<MountTrouble> all) {
        var silent = volume.metadataSilence();
        if (silent.compareTo(SILENT) >= 0 && all.stream().noneMatch(other -> other.kind() == Kind.UNAVAILABLE)) {
            all.add(new MountTrouble(Kind.UNAVAILABLE, Instant.now().minus(silent).truncatedTo(ChronoUnit.SECONDS),
                    "the metadata database does not respond", "volsh volume show " + spec.source().volume()));
        }
    }

    /** The command that shows which files would be discarded, and changes nothing. */
    private String discarding() {
        return "volsh umount --discard --dry-run %s%s".formatted(
                detachedSince == null ? "" : "--pid %d ".formatted(ProcessHandle.current().pid()),
                ShellWord.of(spec.mountPoint()));
    }

    /** Bytes that are being written out for the first time are no trouble. */
    private void unwritten(List<Unwritten> unwritten, List<MountTrouble> all) {
        var failed = unwritten.stream().filter(each -> each.failure().isPresent())
                .collect(Collectors.groupingBy(each -> MountTrouble.kind(each.failure().get())));
        failed.forEach((kind, files) -> all.add(new MountTrouble(kind,
                Instant.ofEpochSecond(0, files.stream().mapToLong(Unwritten::since).min().orElseThrow()),
                "%s in %s cannot be written out%s: %s"
                        .formatted(new ByteSize(files.stream().mapToLong(Unwritten::bytes).sum()),
                        Count.of(files.size(), "file"), RETRIED.contains(kind) ? ", and will be once that works" : "",
                        MountTrouble.words(files.getFirst().failure().get())),
                cure(kind, files.getFirst().failure().get()))));
    }

    /** A command that helps without losing anything, if there is one; discarding is the last resort. */
    private String cure(Kind kind, Throwable failure) {
        return switch (kind) {
            case FULL, UNAVAILABLE -> command(kind, failure);
            case REFUSED -> "volsh store probe " + volume.spec().store();
            default -> discarding();
        };
    }

    private String room(Throwable failure) {
        var quota = QuotaReachedException.behind(failure);
        return quota == null ? room() : quota.show();
    }

    /** The command that frees space: on the disk of the metadata if that is full, otherwise in the stores. */
    private String room() {
        try {
            if (volumes.capacity().isMetadataFull(volume)) {
                return "df -h " + ShellWord.of(volumes.capacity().metadataDirectory(volume.spec()));
            }
        } catch (IOException unknown) {
            // so it is a store
        }
        return "volsh du %s:/".formatted(spec.source().volume());   // what is deleted, the mount reclaims by itself
    }

    private MountTrouble session(OngoingFailure failure, boolean clean) {
        var kind = MountTrouble.kind(failure.cause());
        return kind == Kind.FENCED
                ? new MountTrouble(kind, failure.since(),
                        "its session was ended because its lease expired: nothing written here is committed; "
                + whyStill(failure.cause().getMessage()),
                clean ? "volsh umount " + ShellWord.of(spec.mountPoint()) : discarding())
                : new MountTrouble(kind, failure.since(),
                        (volume.vfs().writes() ? "cannot write the metadata: " : "cannot reach the metadata: ")
                + failure.cause().getMessage(), "volsh volume show " + spec.source().volume());
    }

    /** Why it has not recovered by itself. */
    private @Nullable String whyStill(@Nullable String reason) {
        if (spec.alone()) {
            return "a sole writer does not reconnect by itself, because others may have written since";
        }
        return spec.source().moment().isPresent()
                ? "a past state does not reconnect by itself, because it may not have been kept since" : reason;
    }

    /** The ended session was replaced by a new one: adds events for that and for what was lost. */
    static void cameBack(Volume volume, MountSpec spec, EventLog events, SessionRevival.Revived revived) {
        var place = spec.mountPoint().toString();
        if (!revived.lost().isEmpty()) {
            events.add(Happening.Level.ERROR, "mount", place,
                    "fenced: unwritten data was dropped from files that others changed, or whose locks were lost: %s"
                    .formatted(UnwrittenFile.told(volume.named(revived.lost()))));
        }
        events.add(Happening.Level.INFO, "mount", place, ("reconnected as session %d; session %d was ended because its "
                + "lease had expired").formatted(revived.now().id(), revived.ended().id()));
    }

    /** Recently failed requests, unless the same trouble is already reported in more detail. */
    private void requests(List<MountTrouble> all) {
        for (var failed : requests.failed()) {
            var kind = MountTrouble.kind(failed.cause());
            if (isStillWrong(kind, failed.at()) && kind != Kind.FENCED
                    && all.stream().noneMatch(other -> other.kind() == kind)) {
                all.add(new MountTrouble(kind, failed.at(), "%s failed: %s".formatted(failed.request(),
                        MountTrouble.words(failed.cause())), command(kind, failed.cause())));
            }
        }
    }

    /** Damage is over when the volume's row also says so: when a check found it gone. */
    private boolean isStillWrong(Kind kind, Instant at) {
        if (kind == Kind.DAMAGED && volume.damage().isKept()) {
            return volume.damage().known().isPresent();
        }
        return at.plus(kind == Kind.DAMAGED ? DAMAGE_KEPT : FAILURE_KEPT).isAfter(Instant.now());
    }

    private String command(Kind kind, Throwable cause) {
        if (kind == Kind.FULL) {
            return room(cause);
        }
        if (kind == Kind.DAMAGED) {
            return "volsh volume check %s --deep".formatted(spec.source().volume());
        }
        boolean database = cause instanceof MetaUnavailableException || cause instanceof FsException;
        return (database ? "volsh volume show " : "volsh store probe ")
                + (database ? spec.source().volume() : volume.spec().store());
    }

    private static String clock(Duration by) {
        return ("the clock of this machine jumped %s by %s since the mount began: "
                + "garbage collection is off until it is remounted").formatted(by.isNegative() ? "back" : "ahead",
                        new Span(by.abs().plusSeconds(30).truncatedTo(ChronoUnit.MINUTES)));
    }

    private void elsewhere(List<MountTrouble> all) {
        try {
            volume.shippingStatus().flatMap(status -> status.fence()).ifPresent(fence -> all.add(new MountTrouble(
                    Kind.ELSEWHERE, fence.since(), fence.toString(),
                    "volsh umount " + ShellWord.of(spec.mountPoint()))));
        } catch (IOException | RuntimeException unknown) {
            // the session reports what is wrong with the metadata
        }
    }

    /** Does not wait for a check of metadata that does not answer. */
    @Override
    public void close() {
        retries.shutdownNow();
        timer.execute(this::tellEnds);
        timer.shutdown();
        try {
            timer.awaitTermination(EVERY.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
        timer.shutdownNow();
    }
}
