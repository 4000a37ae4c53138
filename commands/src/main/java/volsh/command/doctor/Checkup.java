package volsh.command.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import volsh.catalog.Home;
import volsh.command.Session;
import volsh.command.doctor.DoctorRun.Row;
import volsh.command.failure.ExitCode;
import volsh.command.status.StatusTroubles;
import volsh.fs.ShellWord;
import volsh.mount.MountRecord;
import volsh.mount.MountStats;
import volsh.mount.MountTrouble;
import volsh.mount.Mounts;
import volsh.system.DirtyLimits;
import volsh.system.FileSystem;
import volsh.system.MemoryInfo;
import volsh.unit.ByteSize;
import volsh.unit.Count;

/** Checks a machine; each problem is a row. */
final class Checkup {
    private static final Path PROC = Path.of("/proc");
    private static final long LITTLE_SPACE = ByteSize.GIB;

    private final List<Row> rows = new ArrayList<>();
    private MountTrouble.@Nullable Kind worst;   // null if every mount is healthy

    private ExitCode known = ExitCode.OK;   // the exit code of status

    private Checkup() {}

    static Checkup of(Session session) throws Exception {
        var checkup = new Checkup();
        checkup.machine(session.service(Home.class).state());
        var mounts = session.service(Mounts.class);
        for (var status : mounts.list()) {
            checkup.mount(mounts, status);
        }
        checkup.status(StatusTroubles.of(session));
        return checkup;
    }

    /** The troubles of one mount: while it has one, how it is used is of no interest. */
    static Checkup troubles(Session session, MountRecord mount) throws Exception {
        var checkup = new Checkup();
        session.service(Mounts.class).look(mount).troubles()
                .forEach(trouble -> checkup.trouble(mount.mountPoint(), trouble));
        return checkup;
    }

    private void machine(Path state) throws IOException {
        if (!Files.isReadable(Path.of("/dev/fuse")) || !Files.isWritable(Path.of("/dev/fuse"))) {
            add("this user cannot mount", "/dev/fuse cannot be opened",
                    "modprobe fuse, or give the container the device /dev/fuse");
        }
        place("the home " + state, state);
        var memory = MemoryInfo.read(PROC);
        var limits = DirtyLimits.read(PROC);
        if (memory.dirty().bytes() > limits.blocking().bytes() * 9 / 10) {
            add("writing programs wait for the disk", "%s are dirty, the limit is %s"
                    .formatted(memory.dirty(), limits.blocking()), "volsh iostat --explain");
        }
        if (memory.available().bytes() < memory.total().bytes() / 20) {
            add("memory is low", "%s of %s are available".formatted(memory.available(), memory.total()),
                    "use a smaller --cache-memory or fewer workers");
        }
    }

    /** Checks a directory with metadata, journals or caches. */
    private void place(String what, Path directory) throws IOException {
        var there = directory;
        while (!Files.exists(there) && there.getParent() != null) {
            there = there.getParent();
        }
        var system = FileSystem.of(there);
        switch (system.kind()) {
            case MEMORY, NETWORK, LAYERED, VOLSH -> add("%s is on an unsuitable file system".formatted(what),
                    "%s: %s".formatted(system.type(), system.kind().advice()),
                    "use another directory: set VOLSH_HOME, or --cache-dir of the mount");
            case LOCAL, OTHER -> { }
        }
        long free = Files.getFileStore(there).getUsableSpace();
        if (free < LITTLE_SPACE) {
            add("%s is nearly full".formatted(what), "%s are left".formatted(new ByteSize(free)),
                    "df -h " + ShellWord.of(there));
        }
    }

    private void mount(Mounts mounts, Mounts.Status status) throws IOException {
        var point = status.record().mountPoint();
        switch (status.state()) {
            case DEAD -> {
                var dead = mounts.dead(status.record());
                add("the mount %s is dead".formatted(point), dead.sentence(), dead.next());
            }
            case SILENT -> add("the mount %s does not answer".formatted(point),
                    "process %d".formatted(status.record().pid()), "volsh mounts show " + status.record().words());
            case OTHER_VERSION -> add("the mount %s runs another version of volsh".formatted(point),
                    "process %d".formatted(status.record().pid()), "volsh umount " + status.record().words());
            case OK, DETACHED -> {
                status.troubles().forEach(trouble -> trouble(point, trouble));
                served(point, mounts.stats(status.record()));
            }
        }
    }

    private void trouble(Path point, MountTrouble trouble) {
        worst = worst == null || trouble.kind().compareTo(worst) > 0 ? trouble.kind() : worst;
        add("%s: %s".formatted(point, trouble.kind()), "since %s %s".formatted(trouble.since(), trouble.sentence()),
                trouble.command());
    }

    /** Checks volumes, stores and the home; mounts have their own, more detailed checks. */
    private void status(StatusTroubles found) {
        known = found.exit();
        if (!found.others().isEmpty()) {
            add("status shows %s".formatted(Count.of(found.others().size(), "problem")),
                    String.join("; ", found.others()), "volsh status");
        }
    }

    /** The exit code for these findings. */
    ExitCode exit() {
        if (known != ExitCode.OK && !rows.isEmpty()) {
            return known;
        }
        return rows.isEmpty() ? ExitCode.OK : worst == null ? ExitCode.EXPECTATION : ExitCode.of(worst.exit());
    }

    List<Row> rows() {
        return rows;
    }

    private void served(Path point, MountStats stats) throws IOException {
        for (var directory : stats.directories()) {
            if (!directory.up()) {
                add("mount %s bypasses a cache directory".formatted(point), "%s, %d failures".formatted(
                        directory.directory(), directory.failures()), "use another disk");
            } else {
                place("the cache directory " + directory.directory(), directory.directory());
            }
        }
        if (stats.repeats().rereads() > 0) {
            add("mount %s received damaged blocks".formatted(point), "%d were fetched again"
                    .formatted(stats.repeats().rereads()), "check the network and the store: volsh store probe");
        }
    }

    private void add(String finding, String evidence, String fix) {
        rows.add(new Row(finding, 1, evidence, fix, ""));
    }
}
