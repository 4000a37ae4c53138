package volsh.mount;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
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
import volsh.fs.Unwritten;
import volsh.fuse.OperationStats;
import volsh.mount.MountTrouble.Kind;
import volsh.unit.ByteSize;
import volsh.unit.Count;
import volsh.unit.Span;
import volsh.volume.Volume;
import volsh.volume.Volumes;

/**
 * Looks after one mount: tries again what could not be written out, so that it is as soon as there is space, gathers what is wrong, and tells of each trouble in the
 * events when it begins and when it is over.
 */
final class MountWatch implements AutoCloseable {
    private static final Duration EVERY = Duration.ofSeconds(2);
    /** For so long a request that failed is told of: damage does not go away by itself, and where it cannot be remembered, nobody says when it is gone. */
    private static final Duration DAMAGE_KEPT = Duration.ofHours(1);
    private static final Duration FAILURE_KEPT = Duration.ofSeconds(10);
    /** From then on a database that somebody waits for is told of. */
    private static final Duration SILENT = Duration.ofSeconds(2);

    private final Volumes volumes;
    private final Volume volume;
    private final MountSpec spec;
    private final EventLog events;
    private final OperationStats requests;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().name("mount-watch").daemon().factory());
    private final ScheduledExecutorService retries = Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().name("mount-retry").daemon().factory());
    private final Map<Kind, Instant> told = new EnumMap<>(Kind.class);   // since when; guarded by this
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

    /** The mount is gone, and this process goes on only to write out what it has. */
    void detached() {
        detachedSince = detachedSince == null ? Instant.now() : detachedSince;
    }

    /** By a thread of its own: a store that is away takes a minute to say so. */
    private void retry() {
        try {
            volume.vfs().retryFailed();
        } catch (RuntimeException later) {
            // the bytes say what is wrong with them
        }
    }

    private synchronized void tell() {
        try {
            var now = troubles();
            var kinds = now.stream().collect(Collectors.toMap(MountTrouble::kind, trouble -> trouble, (first, second) -> first));
            told.keySet().stream().filter(kind -> !kinds.containsKey(kind)).toList().forEach(this::over);
            kinds.values().stream().filter(trouble -> !told.containsKey(trouble.kind())).forEach(this::begun);
        } catch (RuntimeException later) {
            // one that cannot be told now is told the next time
        }
    }

    /** The mount ends: of what was told to be wrong, what no longer is. */
    private void tellEnds() {
        try {
            var left = troubles().stream().map(MountTrouble::kind).filter(kind -> kind != Kind.DETACHED).collect(Collectors.toSet());
            told.keySet().stream().filter(kind -> !left.contains(kind)).toList().forEach(this::over);
        } catch (RuntimeException unknown) {
            // whoever reads the events finds that the mount has ended
        }
    }

    private void begun(MountTrouble trouble) {
        told.put(trouble.kind(), trouble.since());
        events.add(Happening.Level.ERROR, "mount", spec.mountPoint().toString(), "%s: %s; %s".formatted(trouble.kind(), trouble.sentence(), trouble.command()));
    }

    private void over(Kind kind) {
        events.add(Happening.Level.INFO, "mount", spec.mountPoint().toString(), "over: %s since %s".formatted(kind, told.remove(kind)));
    }

    /** What is wrong now, and the events say so, too. */
    List<MountTrouble> tellTroubles() {
        tell();
        return troubles();
    }

    /** What is wrong now, the worst first. Asks nobody outside this process. */
    List<MountTrouble> troubles() {
        var all = new ArrayList<MountTrouble>();
        var unwritten = volume.vfs().unwritten();
        unwritten(unwritten, all);
        volume.sessionFailure().ifPresent(failure -> all.add(session(failure, unwritten.isEmpty())));
        elsewhere(all);
        volume.clockJump().ifPresent(jump -> all.add(new MountTrouble(Kind.CLOCK, jump.found(), clock(jump.by()), "volsh volume gc " + spec.source().volume())));
        var staged = volume.staged();
        staged.damaged().stream().findFirst().ifPresent(file -> all.add(new MountTrouble(Kind.DAMAGED, staged.oldest().orElse(Instant.now()),
                "the journal file %s is damaged".formatted(file), "volsh mounts show " + spec.mountPoint())));
        staged.trouble().ifPresent(why -> all.add(new MountTrouble(why.full() ? Kind.FULL : Kind.AT_RISK,
                staged.oldest().orElse(Instant.now()), "%s wait in the journal and cannot be stored: %s".formatted(new ByteSize(staged.bytes()), why.words()),
                why.full() ? room() : "volsh store probe " + volume.spec().store())));
        requests(all);
        silence(all);
        var since = detachedSince;
        if (since != null) {
            all.add(new MountTrouble(Kind.DETACHED, since, "unmounted, but process %d still writes out %s".formatted(
                    ProcessHandle.current().pid(), new ByteSize(unwritten.stream().mapToLong(Unwritten::bytes).sum() + staged.bytes())), discarding()));
        }
        all.sort((first, second) -> second.kind().compareTo(first.kind()));
        return all;
    }

    /** Requests that wait for the database fail only when patience is over. */
    private void silence(List<MountTrouble> all) {
        var silent = volume.metadataSilence();
        if (silent.compareTo(SILENT) >= 0 && all.stream().noneMatch(other -> other.kind() == Kind.UNAVAILABLE)) {
            all.add(new MountTrouble(Kind.UNAVAILABLE, Instant.now().minus(silent).truncatedTo(ChronoUnit.SECONDS),
                    "it waits for its database, which does not answer", "volsh volume show " + spec.source().volume()));
        }
    }

    /** Shows which files it is about, and changes nothing. */
    private String discarding() {
        return "volsh umount --discard --dry-run %s%s".formatted(
                detachedSince == null ? "" : "--pid %d ".formatted(ProcessHandle.current().pid()), spec.mountPoint());
    }

    /** Bytes that are on their way for the first time are no trouble. */
    private void unwritten(List<Unwritten> unwritten, List<MountTrouble> all) {
        var failed = unwritten.stream().filter(each -> each.failure().isPresent())
                .collect(Collectors.groupingBy(each -> MountTrouble.kind(each.failure().get())));
        failed.forEach((kind, files) -> all.add(new MountTrouble(kind,
                Instant.ofEpochSecond(0, files.stream().mapToLong(Unwritten::since).min().orElseThrow()),
                "%s in %s cannot be written out: %s".formatted(new ByteSize(files.stream().mapToLong(Unwritten::bytes).sum()), Count.of(files.size(), "file"),
                        files.getFirst().failure().get().getMessage()), cure(kind))));
    }

    /** What helps without losing anything, if there is something; to discard is the last way out. */
    private String cure(Kind kind) {
        return switch (kind) {
            case FULL -> room();
            case REFUSED -> "volsh store probe " + volume.spec().store();
            default -> discarding();
        };
    }

    /** What makes room: on the disk of the metadata if that is full, else in the stores. */
    private String room() {
        try {
            if (volumes.isMetadataFull(volume)) {
                return "df -h " + volumes.metadataDirectory(volume.spec());
            }
        } catch (IOException unknown) {
            // then it is a store
        }
        var name = spec.source().volume();
        return volume.reclaimable().blocks() > 0 ? "volsh volume gc %s --delete".formatted(name) : "volsh du %s:/".formatted(name);
    }

    private MountTrouble session(OngoingFailure failure, boolean clean) {
        var kind = MountTrouble.kind(failure.cause());
        return kind == Kind.FENCED
                ? new MountTrouble(kind, failure.since(), "its session was ended by others, as it was silent for too long: nothing written here is committed; "
                        + whyStill(failure.cause().getMessage()), clean ? "volsh umount " + spec.mountPoint() : discarding())
                : new MountTrouble(kind, failure.since(), (volume.vfs().writes() ? "the metadata cannot be written: " : "the metadata cannot be reached: ") + failure.cause().getMessage(), "volsh volume show " + spec.source().volume());
    }

    /** Why it has not come back by itself. */
    private @Nullable String whyStill(@Nullable String reason) {
        if (spec.alone()) {
            return "a sole writer does not come back by itself, as others may have written since";
        }
        return spec.source().moment().isPresent() ? "a past state does not come back by itself, as it was not kept since" : reason;
    }

    /** The session was ended, and there is a new one: that is told, and what it took. */
    static void cameBack(Volume volume, MountSpec spec, EventLog events, SessionRevival.Revived revived) {
        var place = spec.mountPoint().toString();
        if (!revived.lost().isEmpty()) {
            events.add(Happening.Level.ERROR, "mount", place, "fenced: dropped what was not written out of files that others changed, or that were written under locks that were lost: %s"
                    .formatted(UnwrittenFile.told(volume.named(revived.lost()))));
        }
        events.add(Happening.Level.INFO, "mount", place, "came back as session %d; others had ended session %d, as it was silent for too long".formatted(
                revived.now().id(), revived.ended().id()));
    }

    /** Requests that failed lately, unless the same trouble is told of with more to say. */
    private void requests(List<MountTrouble> all) {
        for (var failed : requests.failed()) {
            var kind = MountTrouble.kind(failed.cause());
            if (isStillWrong(kind, failed.at()) && kind != Kind.FENCED && all.stream().noneMatch(other -> other.kind() == kind)) {
                all.add(new MountTrouble(kind, failed.at(), "%s failed: %s".formatted(failed.request(), failed.cause().getMessage()), command(kind, failed.cause())));
            }
        }
    }

    /** Damage is over when the volume's row says so, too: when somebody looked for it and found it gone. */
    private boolean isStillWrong(Kind kind, Instant at) {
        if (kind == Kind.DAMAGED && volume.damage().isKept()) {
            return volume.damage().known().isPresent();
        }
        return at.plus(kind == Kind.DAMAGED ? DAMAGE_KEPT : FAILURE_KEPT).isAfter(Instant.now());
    }

    private String command(Kind kind, Throwable cause) {
        if (kind == Kind.FULL) {
            return room();
        }
        if (kind == Kind.DAMAGED) {
            return "volsh volume check %s --deep".formatted(spec.source().volume());
        }
        boolean database = cause instanceof MetaUnavailableException || cause instanceof FsException;
        return (database ? "volsh volume show " : "volsh store probe ") + (database ? spec.source().volume() : volume.spec().store());
    }

    private static String clock(Duration by) {
        return "the clock of this machine jumped %s by %s since this was mounted: this mount collects no garbage until it is mounted again".formatted(
                by.isNegative() ? "back" : "ahead", new Span(by.abs().plusSeconds(30).truncatedTo(ChronoUnit.MINUTES)));
    }

    private void elsewhere(List<MountTrouble> all) {
        try {
            volume.shippingStatus().flatMap(status -> status.fence()).ifPresent(fence -> all.add(new MountTrouble(Kind.ELSEWHERE,
                    fence.since(), fence.toString(), "volsh umount " + spec.mountPoint())));
        } catch (IOException | RuntimeException unknown) {
            // the session says what is wrong with the metadata
        }
    }

    /** A look under way at metadata that does not answer is not waited for. */
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
