package volsh.command.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import volsh.catalog.Home;
import volsh.command.Session;
import volsh.command.doctor.DoctorRun.Row;
import volsh.command.failure.ExitCode;
import volsh.command.status.StatusTroubles;
import volsh.mount.MountStats;
import volsh.mount.MountTrouble;
import volsh.mount.Mounts;
import volsh.system.DirtyLimits;
import volsh.system.FileSystem;
import volsh.system.MemoryInfo;
import volsh.unit.ByteSize;
import volsh.unit.Count;

/** Looks over a machine: each thing that is not well is a row. */
final class Checkup {
    private static final Path PROC = Path.of("/proc");
    private static final long LITTLE_SPACE = ByteSize.GIB;

    private final List<Row> rows = new ArrayList<>();
    private MountTrouble.Kind worst;   // null if no mount is in trouble

    private ExitCode known = ExitCode.OK;   // what status ends with

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

    private void machine(Path state) throws IOException {
        if (!Files.isReadable(Path.of("/dev/fuse")) || !Files.isWritable(Path.of("/dev/fuse"))) {
            add("this user cannot mount", "/dev/fuse cannot be opened", "modprobe fuse, or ask for the device in the container");
        }
        place("the home " + state, state);
        var memory = MemoryInfo.read(PROC);
        var limits = DirtyLimits.read(PROC);
        if (memory.dirty().bytes() > limits.blocking().bytes() * 9 / 10) {
            add("programs that write wait", "%s are dirty, %s are allowed".formatted(memory.dirty(), limits.blocking()), "volsh sys dirty, volsh iostat --explain");
        }
        if (memory.available().bytes() < memory.total().bytes() / 20) {
            add("memory is short", "%s of %s are available".formatted(memory.available(), memory.total()), "a smaller --cache-memory, fewer workers");
        }
    }

    /** Where metadata, journals or caches are kept. */
    private void place(String what, Path directory) throws IOException {
        var there = directory;
        while (!Files.exists(there) && there.getParent() != null) {
            there = there.getParent();
        }
        var system = FileSystem.of(there);
        switch (system.kind()) {
            case MEMORY, NETWORK, LAYERED, VOLSH -> add("%s is in the wrong place".formatted(what), "it is on %s: %s".formatted(system.type(), system.kind().advice()),
                    "another directory: VOLSH_HOME, or --cache-dir of the mount");
            case LOCAL, OTHER -> { }
        }
        long free = Files.getFileStore(there).getUsableSpace();
        if (free < LITTLE_SPACE) {
            add("%s is nearly full".formatted(what), "%s are left".formatted(new ByteSize(free)), "df -h " + there);
        }
    }

    private void mount(Mounts mounts, Mounts.Status status) throws IOException {
        var point = status.record().mountPoint();
        switch (status.state()) {
            case DEAD -> {
                var dead = mounts.dead(status.record());
                add("the mount %s is dead".formatted(point), dead.sentence(), dead.next());
            }
            case SILENT -> add("the mount %s does not answer".formatted(point), "process %d".formatted(status.record().pid()), "its log, volsh mounts show " + status.record().words());
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
        add("%s: %s".formatted(point, trouble.kind()), "since %s %s".formatted(trouble.since(), trouble.sentence()), trouble.command());
    }

    /** Volumes, stores and the home: what is wrong with mounts is told above, with more to say. */
    private void status(StatusTroubles found) {
        known = found.exit();
        if (!found.others().isEmpty()) {
            add("status has %s".formatted(Count.of(found.others().size(), "trouble")), String.join("; ", found.others()), "volsh status");
        }
    }

    /** What a command ends with that found this. */
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
                add("a cache directory of %s is by-passed".formatted(point), "%s, %d failures".formatted(directory.directory(), directory.failures()),
                        "volsh cache verify, or another disk");
            } else {
                place("the cache directory " + directory.directory(), directory.directory());
            }
        }
        if (stats.repeats().rereads() > 0) {
            add("%s got damaged blocks".formatted(point), "%d had to be got once more".formatted(stats.repeats().rereads()), "the network or the store: volsh store probe");
        }
    }

    private void add(String finding, String evidence, String fix) {
        rows.add(new Row(finding, 1, evidence, fix, ""));
    }
}
