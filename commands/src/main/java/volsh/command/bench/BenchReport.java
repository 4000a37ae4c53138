package volsh.command.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.bench.Run;
import volsh.bench.report.Report;
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
import volsh.unit.Count;

@Command(name = "report", description = {"Write an HTML report of runs: plots of speed and latency, and all numbers.",
        "Begins with a verdict in words, and names the machine of each run. Shows up to six runs side by side. The"
                + " page is self-contained: no network, no script. The file appears when complete."})
@Examples({"volsh bench report last --html report.html", "volsh bench report last nightly --html both.html"})
final class BenchReport implements Mutation<Rows<BenchReport.Written>> {
    @Parameters(arity = "1..*", paramLabel = "RUN",
            description = "Runs, by identifier or its beginning, last, or the name of a baseline.")
    private List<String> ids;

    @Option(names = "--html", paramLabel = "FILE", required = true, description = "Write the page to this file.")
    private Path file;

    @Option(names = "--force", description = "Replace an existing file.")
    private boolean force;

    /** The result. */
    record Written(String file, int runs, ByteSize size) {}

    @Override
    public Columns<?> columns() {
        return Columns.derived(Written.class);
    }

    @Override
    public Plan plan(Session session) throws Exception {
        report(session);
        requireFree();
        return Plan.of("write", file.toString(), "report of %d runs".formatted(ids.size()));
    }

    private Report report(Session session) throws Exception {
        var runs = new ArrayList<Run>();
        for (String id : ids) {
            runs.add(Kept.find(session, id));
        }
        try {
            return new Report(runs);
        } catch (IllegalArgumentException tooMany) {
            throw CommandFailure.usage(tooMany.getMessage());
        }
    }

    private void requireFree() {
        if (Files.isDirectory(file)) {
            throw CommandFailure.usage("'%s' is a directory; name a file in it".formatted(file));
        }
        if (!force && Files.exists(file)) {
            throw CommandFailure.of(ExitCode.CONFLICT, "BEN-0004", "file exists: '%s'".formatted(file))
                    .detail("--force replaces it")
                    .hint("volsh bench report %s --html %s".formatted(ShellWord.of(ids),
                            ShellWord.of(FreeName.beside(file))));
        }
    }

    @Override
    public Rows<Written> run(Session session) throws Exception {
        byte[] page = report(session).html(session.clock().instant()).getBytes(StandardCharsets.UTF_8);
        requireFree();
        write(page);
        session.say("wrote %s with %s".formatted(file, Count.of(ids.size(), "run")));
        return Rows.one(Columns.derived(Written.class),
                new Written(file.toString(), ids.size(), new ByteSize(page.length))).told();
    }

    private void write(byte[] page) throws IOException {
        var target = file.toAbsolutePath();
        var part = TemporaryNames.fresh(target.getParent(), "." + target.getFileName() + ".part-");
        try {
            try (var out = FileChannel.open(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                var bytes = ByteBuffer.wrap(page);
                while (bytes.hasRemaining()) {
                    out.write(bytes);
                }
                out.force(true);
            }
            if (force) {
                Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
            } else {
                Files.createLink(target, part);
            }
        } catch (FileAlreadyExistsException taken) {
            requireFree();
            throw taken;
        } finally {
            Files.deleteIfExists(part);
        }
    }
}
