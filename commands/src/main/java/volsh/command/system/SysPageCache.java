package volsh.command.system;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.bench.PageCache;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Listing;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.system.Residency;
import volsh.unit.ByteSize;
import volsh.unit.Percent;

@Command(name = "pagecache", description = {"Show how much of files the kernel holds in memory.",
        "Takes files, or directories with every file below. Reads nothing and brings nothing into memory.",
        "With --drop, the kernel forgets what it holds of them first, except for pages that are not written yet or in"
                + " use; what is left is shown."})
@Examples({"volsh sys pagecache dataset", "volsh sys pagecache dataset -o json", "volsh sys pagecache --drop dataset"})
final class SysPageCache implements Action<Rows<SysPageCache.Row>>, Listing {
    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .text("file", Row::file)
            .bytes("size", Row::size)
            .bytes("resident", Row::resident)
            .number("part", row -> new Percent(row.size().bytes() == 0
                    ? 100 : Math.round(row.resident().bytes() * 1000.0 / row.size().bytes()) / 10.0));

    @Parameters(arity = "1..*", paramLabel = "FILE", description = "Files, or directories of files.")
    private List<Path> paths;

    @Option(names = "--drop", description = "Let the kernel forget these files first.")
    private boolean drop;

    /** A file, and how much of it is in memory. */
    record Row(Path file, ByteSize size, ByteSize resident) {}

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Rows<Row> run(Session session) throws IOException {
        var rows = new ArrayList<Row>();
        for (var path : paths) {
            if (!Files.exists(path)) {
                throw CommandFailure.of(ExitCode.NOT_FOUND, "SYS-0004", "%s: no such file or directory".formatted(path))
                        .hint("volsh mounts list");
            }
            try (var files = Files.walk(path)) {
                for (var file : files.filter(Files::isRegularFile).sorted().toList()) {
                    session.cancellation().check();
                    if (drop && !PageCache.forget(file)) {
                        session.warn("%s cannot be dropped from memory".formatted(file));
                    }
                    var found = Residency.of(file);
                    rows.add(new Row(file, found.size(), found.resident()));
                }
            }
        }
        return Rows.of(COLUMNS, rows);
    }
}
