package volsh.command.doctor;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.doctor.ActivitySample;
import volsh.mount.MountRecord;
import volsh.mount.MountStats;
import volsh.mount.Mounts;
import volsh.system.DiskActivity;
import volsh.system.DiskCounters;
import volsh.system.Pressure;
import volsh.volume.Volumes;

/** Samples mounts and this machine over an interval. */
final class Watched {
    private Watched() {}

    /** The directory that is /proc, of this machine or, in a container, of its host. */
    static Path proc(Session session) {
        return Path.of(session.environment().getOrDefault("VOLSH_PROC", "/proc"));
    }

    /** The mount that a path is on. */
    static MountRecord mount(Session session, Path path) throws Exception {
        var mounts = session.service(Mounts.class);
        var wanted = path.toAbsolutePath().normalize();
        var point = mounts.mountOf(wanted).orElseThrow(() -> CommandFailure.of(ExitCode.NOT_FOUND, "DOC-0001",
                "%s is not on a mount of this machine".formatted(wanted)).hint("volsh mounts list"));
        var found = mounts.find(point).orElseThrow();
        if (found.state() == Mounts.State.DEAD) {
            throw CommandFailure.of(ExitCode.UNAVAILABLE, "DOC-0006",
                    "the mount of %s on %s is dead: its process %d ended".formatted(found.record().source(), point,
                            found.record().pid())).hint("volsh mounts recover");
        }
        return reaching(session, found.record());
    }

    /** The mount, if its store exists: else it is idle because nothing can be read. @throws Refusal UNAVAILABLE */
    private static MountRecord reaching(Session session, MountRecord mount) throws Exception {
        if (mount.source().place().isEmpty()) {
            return mount;   // a bucket
        }
        var volumes = session.service(Volumes.class);
        var spec = volumes.find(mount.source().volumePath().volume());
        if (spec.stores().size() == 1) {
            volumes.stores().requireDirectories(spec);
        }
        return mount;
    }

    /** The only mount of this machine. */
    static MountRecord onlyMount(Session session) throws Exception {
        var records = session.service(Mounts.class).list().stream().filter(status -> status.state() == Mounts.State.OK)
                .map(Mounts.Status::record).toList();
        if (records.isEmpty()) {
            throw CommandFailure.of(ExitCode.NOT_FOUND, "DOC-0001", "this machine has no mounts")
                    .hint("volsh mounts list");
        }
        if (records.size() > 1) {
            throw CommandFailure.usage("name one of the %d mounts: %s".formatted(records.size(),
                    String.join(", ", records.stream().map(record -> record.mountPoint().toString()).toList())));
        }
        return reaching(session, records.getFirst());
    }

    /** The statistics of the mounts that answer, by mount point. */
    static Map<Path, MountStats> accounts(Mounts mounts) throws IOException {
        var accounts = new LinkedHashMap<Path, MountStats>();
        for (var status : mounts.list()) {
            if (status.state() == Mounts.State.OK) {
                accounts.put(status.record().mountPoint(), mounts.stats(status.record().mountPoint()));
            }
        }
        return accounts;
    }

    /** The activity of each mount in this time. */
    static Map<Path, ActivitySample> samples(Session session, Duration time) throws Exception {
        var mounts = session.service(Mounts.class);
        return samples(session, time, accounts(mounts), () -> accounts(mounts));
    }

    /** The activity of one mount in this time. */
    static ActivitySample sample(Session session, Path mountPoint, Duration time) throws Exception {
        var mounts = session.service(Mounts.class);
        var samples = samples(session, time, Map.of(mountPoint, mounts.stats(mountPoint)), () -> Map.of(mountPoint,
                mounts.stats(mountPoint)));
        return Objects.requireNonNull(samples.get(mountPoint));
    }

    /** Work done while a mount is sampled. */
    interface Work<T> {
        T done() throws Exception;
    }

    /** The result of the work, and the mount's activity meanwhile. */
    record During<T>(T done, ActivitySample sample) {}

    static <T> During<T> during(Session session, Path mountPoint, Work<T> work) throws Exception {
        var mounts = session.service(Mounts.class);
        var before = mounts.stats(mountPoint);
        var disks = DiskCounters.read(proc(session));
        long began = System.nanoTime();
        var done = work.done();
        var after = mounts.stats(mountPoint);
        var passed = Duration.ofNanos(System.nanoTime() - began);
        return new During<>(done, ActivitySample.between(before, after, passed,
                DiskActivity.between(disks, DiskCounters.read(proc(session)), passed),
                Pressure.read(proc(session))));
    }

    /** The activity of a mount since it began. */
    static ActivitySample sinceMounted(Session session, Path mountPoint) throws Exception {
        var mounts = session.service(Mounts.class);
        var since = mounts.find(mountPoint).orElseThrow().record().started();
        var age = Duration.between(since, Instant.now());
        return ActivitySample.between(MountStats.NONE, mounts.stats(mountPoint),
                age.isPositive() ? age : Duration.ofMillis(1), List.of(), Optional.empty());
    }

    private interface Accounts {
        Map<Path, MountStats> now() throws IOException;
    }

    private static Map<Path, ActivitySample> samples(Session session, Duration time, Map<Path, MountStats> before,
            Accounts accounts) throws Exception {
        var disks = DiskCounters.read(proc(session));
        long began = System.nanoTime();
        try (var _ = session.cancellation().interrupting()) {
            Thread.sleep(time);
        }
        var after = accounts.now();
        var passed = Duration.ofNanos(System.nanoTime() - began);
        var activity = DiskActivity.between(disks, DiskCounters.read(proc(session)), passed);
        var pressure = Pressure.read(proc(session));
        var samples = new LinkedHashMap<Path, ActivitySample>();
        for (var mount : after.entrySet()) {
            var earlier = before.get(mount.getKey());
            if (earlier != null) {
                samples.put(mount.getKey(),
                        ActivitySample.between(earlier, mount.getValue(), passed, activity, pressure));
            }
        }
        return samples;
    }
}
