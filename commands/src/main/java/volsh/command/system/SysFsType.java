package volsh.command.system;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.command.Action;
import volsh.command.Listing;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.system.FileSystem;

@Command(name = "fstype", description = {"Show which file system paths are on, and what it is good for.",
        "Finds a cache directory in memory or behind a network, or a journal in a container's layers, before it does"
                + " harm."})
@Examples({"volsh sys fstype /tmp", "volsh sys fstype . /tmp -o json"})
final class SysFsType implements Action<Rows<FileSystem>>, Listing {
    private static final Columns<FileSystem> COLUMNS = Columns.of(FileSystem.class)
            .text("path", FileSystem::path)
            .text("type", FileSystem::type)
            .text("mountPoint", FileSystem::mountPoint)
            .text("kind", found -> found.kind().name().toLowerCase(java.util.Locale.ROOT))
            .text("advice", found -> found.kind().advice())
            .text("source", FileSystem::source).wide();

    @Parameters(arity = "1..*", paramLabel = "PATH", description = "Directories or files.")
    private List<Path> paths;

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Rows<FileSystem> run(Session session) throws IOException {
        var found = new ArrayList<FileSystem>();
        for (var path : paths) {
            try {
                found.add(FileSystem.of(path));
            } catch (NoSuchFileException none) {
                throw CommandFailure.of(ExitCode.NOT_FOUND, "SYS-0004", "%s: no such file or directory".formatted(path))
                        .hint("volsh mounts list");
            }
        }
        return Rows.of(COLUMNS, found);
    }
}
