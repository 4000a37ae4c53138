package volsh.command.mount;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.command.Examples;
import volsh.command.Guard;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.fs.ShellWord;
import volsh.mount.MountRecord;
import volsh.mount.Mounts;
import volsh.mount.Mounts.Leaving;
import volsh.mount.UnwrittenFile;
import volsh.unit.ByteSize;
import volsh.unit.Count;
import volsh.unit.Span;

@Command(name = "umount", description = {"Write out all data, unmount, and wait until the mount's process has ended.",
        "After exit 0 everything written through the mount is committed, and stored unless a warning says otherwise.",
        "If data cannot be written out, the volume stays mounted: exit 8 without space, 6 if a store or a database"
                + " is unreachable, 4 if another host ended its session, 9 if a store denies access, 5 if programs"
                + " use it. --lazy and --discard unmount in any case."})
@Examples({"volsh umount /mnt/data", "volsh umount --all", "volsh umount --lazy /mnt/data",
        "volsh umount --discard --dry-run /mnt/data", "volsh umount --discard /mnt/data --confirm training-data"})
final class Unmount implements Mutation<Void> {
    private static final int NAMED = 5;

    @Parameters(arity = "0..*", paramLabel = "MOUNT", description = "Mount point.")
    private List<Path> directories = new ArrayList<>();

    @Option(names = {"-a", "--all"}, description = "Unmount every mount of this home.")
    private boolean all;

    @Option(names = {"-l", "--lazy"},
            description = "Detach at once, even while in use; programs lose their files. The mount's process continues"
                    + " to write out data, and then ends; 'volsh status' shows it until then.")
    private boolean lazy;

    @Option(names = "--discard",
            description = "Drop data that cannot be written out, and unmount. --dry-run lists the files, their"
                    + " bytes and since when they wait; if there are any, --confirm VOLUME is required. Data in a"
                    + " journal stays there.")
    private boolean discard;

    @Option(names = "--flush-timeout", paramLabel = "TIME", defaultValue = "60s",
            description = "Limit the time for writing out (default: ${DEFAULT-VALUE}).")
    private Span flushTimeout;

    @Mixin
    private ProcessChoice process;

    /** A mount, by its directory and, where several share the directory, by its process. */
    private record Target(Path directory, OptionalLong pid) {
        MountRecord in(Mounts mounts) throws IOException {
            return mounts.require(directory, pid);
        }
    }

    private List<Target> targets(Mounts mounts) throws Exception {
        if (all && !directories.isEmpty()) {
            throw CommandFailure.of(ExitCode.USAGE, "MNT-0002",
                    "--all and a mount point exclude each other; nothing was unmounted")
                    .hint("volsh umount " + ShellWord.of(directories.getFirst()));
        }
        if (!all && directories.isEmpty()) {
            throw CommandFailure.of(ExitCode.USAGE, "MNT-0002", "missing mount point (or --all)")
                    .hint("volsh mounts list");
        }
        if (discard && (all || directories.size() != 1)) {
            throw CommandFailure.of(ExitCode.USAGE, "MNT-0002", "--discard takes one mount").hint("volsh mounts list");
        }
        if (process.pid().isPresent() && (all || directories.size() != 1)) {
            throw CommandFailure.of(ExitCode.USAGE, "MNT-0002", "--pid takes one mount").hint("volsh mounts list");
        }
        return all
                ? mounts.list().stream().map(Mounts.Status::record)
                        .map(record -> new Target(record.mountPoint(), OptionalLong.of(record.pid()))).toList()
                : directories.stream().map(path -> new Target(path.toAbsolutePath().normalize(), process.pid()))
                .toList();
    }

    @Override
    public Columns<?> columns() {
        return Columns.NONE;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var mounts = session.service(Mounts.class);
        var plan = Plan.NOTHING;
        for (var target : targets(mounts)) {
            plan = plan.then("unmount", target.directory().toString(), "");
            for (var file : discard ? mounts.unwritten(target.in(mounts)) : List.<UnwrittenFile>of()) {
                plan = plan.then("discard", file.path(), "%s, written since %s%s".formatted(
                        new ByteSize(file.bytes()), file.since(),
                        file.why().isEmpty() ? "" : ", not stored: " + file.why()));
            }
        }
        return plan;
    }

    @Override
    public Guard guard(Session session) throws Exception {
        var mounts = session.service(Mounts.class);
        var targets = targets(mounts);
        if (!discard) {
            return Guard.NONE;
        }
        var record = targets.getFirst().in(mounts);
        var lost = mounts.unwritten(record);
        var volume = record.source().volume();
        if (lost.isEmpty()) {
            return new Guard.NameIfGiven(volume);
        }
        return new Guard.TypeName("discard %s in %s (%s%s) that only the mount on %s has?".formatted(
                new ByteSize(lost.stream().mapToLong(UnwrittenFile::bytes).sum()), Count.of(lost.size(), "file"),
                lost.stream().limit(NAMED).map(UnwrittenFile::path).collect(Collectors.joining(", ")),
                lost.size() > NAMED ? ", …" : "", record.mountPoint()), volume);
    }

    private Leaving leaving() {
        return discard ? lazy ? Leaving.LAZY_DISCARD : Leaving.DISCARD : lazy ? Leaving.LAZY : Leaving.WRITTEN;
    }

    @Override
    public Void run(Session session) throws Exception {
        var mounts = session.service(Mounts.class);
        for (var target : targets(mounts)) {
            var record = target.in(mounts);
            var lost = discard ? mounts.unwritten(record) : List.<UnwrittenFile>of();
            long left = mounts.stop(record, leaving(), flushTimeout.duration());
            session.say("unmounted " + target.directory());
            for (var file : lost) {
                session.warn("discarded %s of %s, written since %s".formatted(new ByteSize(file.bytes()), file.path(),
                        file.since()));
            }
            if (left > 0) {
                session.warn("%s are only in the journal on this host; the next mount of the volume here stores them"
                        .formatted(new ByteSize(left)));
            }
            if (lazy && !discard) {
                stillWriting(session, mounts, record);
            }
        }
        return null;
    }

    private static void stillWriting(Session session, Mounts mounts, MountRecord record) throws Exception {
        if (mounts.isDetached(record)) {
            session.warn("process %d continues to write out data; to watch it: volsh status".formatted(record.pid()));
        }
    }
}
