package volsh.command.volume;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.command.Examples;
import volsh.command.FreeName;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.disk.TemporaryNames;
import volsh.fs.ShellWord;
import volsh.unit.ByteSize;
import volsh.upkeep.dump.Dump;
import volsh.volume.Volumes;

@Command(name = "dump", description = {"Write the metadata of a volume as lines of JSON.",
        "Everything as of one moment, even while the volume is in use; without past versions. Blocks are named, not"
                + " included: 'volsh volume load' copies them from the store. A file appears when it is complete; -"
                + " is standard output. docs/DUMP.md describes the format."})
@Examples({"volsh volume dump training-data training-data.dump", "volsh volume dump training-data -"})
final class VolumeDump implements Mutation<Rows<VolumeDump.Dumped>> {
    @Parameters(index = "0", paramLabel = "VOLUME", description = "Volume to dump.")
    private String name;

    @Parameters(index = "1", paramLabel = "FILE", arity = "0..1", defaultValue = "-",
            description = "Target file; - (default) is standard output.")
    private String file;

    @Option(names = "--force", description = "Replace an existing file.")
    private boolean force;

    /** The result. */
    record Dumped(String name, String file, long rows, long files, ByteSize bytes, String sha256) {}

    @Override
    public Columns<?> columns() {
        return Columns.derived(Dumped.class);
    }

    @Override
    public Plan plan(Session session) throws Exception {
        session.service(Volumes.class).find(name);
        requireFree();
        return file.equals("-") ? Plan.NOTHING : Plan.of("write", file, "metadata of " + VolumeViews.quoted(name));
    }

    private void requireFree() {
        if (!file.equals("-") && !force && Files.exists(Path.of(file))) {
            throw CommandFailure.of(ExitCode.CONFLICT, "VOL-0460", "file exists: '%s'".formatted(file))
                    .detail("--force replaces it")
                    .hint("volsh volume dump %s %s".formatted(name,
                            ShellWord.of(FreeName.beside(Path.of(file)))));
        }
    }

    @Override
    public Rows<Dumped> run(Session session) throws Exception {
        requireFree();
        var volumes = session.service(Volumes.class);
        volumes.find(name);
        Dump.Summary made;
        try (var watcher = new UpkeepProgress(session)) {
            made = file.equals("-") ? volumes.upkeep().dump(name, session.out(), watcher) : toFile(volumes, watcher);
        }
        session.say("dumped %d files (%s) in %d rows".formatted(made.files(), new ByteSize(made.bytes()), made.rows()));
        var row = new Dumped(name, file, made.rows(), made.files(), new ByteSize(made.bytes()), made.digest());
        return file.equals("-") ? null : Rows.one(Columns.derived(Dumped.class), row).told();
    }

    private Dump.Summary toFile(Volumes volumes, UpkeepProgress watcher) throws IOException {
        var target = Path.of(file).toAbsolutePath();
        var part = TemporaryNames.fresh(target.getParent(), "." + target.getFileName() + ".part-");
        try {
            Dump.Summary made;
            try (var channel = java.nio.channels.FileChannel.open(part,
                    Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
                    OutputStream out = new BufferedOutputStream(java.nio.channels.Channels.newOutputStream(channel),
                            1 << 16)) {
                made = volumes.upkeep().dump(name, out, watcher);
                out.flush();
                channel.force(true);
            }
            place(part, target);
            return made;
        } finally {
            Files.deleteIfExists(part);
        }
    }

    /** Keeps a file that appeared in the meantime, unless {@code --force} allows replacing it. */
    private void place(Path part, Path target) throws IOException {
        if (force) {
            Files.move(part, target, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
            return;
        }
        try {
            Files.createLink(target, part);
        } catch (FileAlreadyExistsException taken) {
            requireFree();
            throw taken;
        }
    }
}
