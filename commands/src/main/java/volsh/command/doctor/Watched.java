package volsh.command.doctor;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import volsh.command.Session;
import volsh.doctor.Sample;
import volsh.mount.MountStats;
import volsh.mount.Mounts;
import volsh.system.DiskActivity;
import volsh.system.DiskCounters;
import volsh.system.Pressure;

/** What mounts and this machine do while somebody watches. */
final class Watched {
    private static final Path PROC = Path.of("/proc");

    private Watched() {}

    /** The accounts of the mounts that answer, by mount point. */
    static Map<Path, MountStats> accounts(Mounts mounts) throws IOException {
        var accounts = new LinkedHashMap<Path, MountStats>();
        for (var status : mounts.list()) {
            if (status.state() == Mounts.State.OK) {
                accounts.put(status.record().mountPoint(), mounts.stats(status.record().mountPoint()));
            }
        }
        return accounts;
    }

    /** What each mount does in this time. */
    static Map<Path, Sample> samples(Session session, Duration time) throws Exception {
        var mounts = session.service(Mounts.class);
        return samples(session, time, accounts(mounts), () -> accounts(mounts));
    }

    /** What one mount does in this time. */
    static Sample sample(Session session, Path mountPoint, Duration time) throws Exception {
        var mounts = session.service(Mounts.class);
        return samples(session, time, Map.of(mountPoint, mounts.stats(mountPoint)), () -> Map.of(mountPoint, mounts.stats(mountPoint))).get(mountPoint);
    }

    private interface Accounts {
        Map<Path, MountStats> now() throws IOException;
    }

    private static Map<Path, Sample> samples(Session session, Duration time, Map<Path, MountStats> before, Accounts accounts) throws Exception {
        var disks = DiskCounters.read(PROC);
        long began = System.nanoTime();
        try (var _ = session.cancellation().interrupting()) {
            Thread.sleep(time);
        }
        var after = accounts.now();
        var passed = Duration.ofNanos(System.nanoTime() - began);
        var activity = DiskActivity.between(disks, DiskCounters.read(PROC), passed);
        var pressure = Pressure.read(PROC);
        var samples = new LinkedHashMap<Path, Sample>();
        for (var mount : after.entrySet()) {
            var earlier = before.get(mount.getKey());
            if (earlier != null) {
                samples.put(mount.getKey(), Sample.between(earlier, mount.getValue(), passed, activity, pressure));
            }
        }
        return samples;
    }
}
