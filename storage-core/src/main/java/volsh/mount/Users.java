package volsh.mount;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import volsh.proc.KernelFile;

/** Finds programs that use a directory, from /proc: the directory itself is not touched. */
record Users(Path proc, Path directory) {
    private static final int TOLD_MAX = 5;

    /**
     * {@code process 4711 (python3) has /mnt/data/a.bin open}: a few of them, without this process. Processes that may
     * not be inspected are left out.
     */
    List<String> told() {
        var users = new ArrayList<String>();
        for (Path process : children(proc).filter(path -> path.getFileName().toString().matches("[0-9]+")).toList()) {
            boolean ourselves = process.getFileName().toString().equals(Long.toString(ProcessHandle.current().pid()));
            use(process).filter(_ -> !ourselves && users.size() < TOLD_MAX)
                    .ifPresent(use -> users.add("process %s (%s) %s".formatted(process.getFileName(),
                            text(process.resolve("comm")).strip(), use)));
        }
        return users;
    }

    private Optional<String> use(Path process) {
        return target(process.resolve("cwd")).map("works in %s"::formatted)
                .or(() -> children(process.resolve("fd")).flatMap(open -> target(open).stream()).findFirst()
                        .map("has %s open"::formatted))
                .or(() -> target(process.resolve("exe")).map("runs %s"::formatted))
                .or(() -> text(process.resolve("maps")).contains(" " + directory + "/")
                        ? Optional.of("has a file mapped") : Optional.empty());
    }

    private Optional<Path> target(Path link) {
        try {
            return Optional.of(Files.readSymbolicLink(link)).filter(path -> path.startsWith(directory));
        } catch (IOException | RuntimeException gone) {
            return Optional.empty();
        }
    }

    private static Stream<Path> children(Path directory) {
        var found = new ArrayList<Path>();
        try (var children = Files.newDirectoryStream(directory)) {
            children.forEach(found::add);
        } catch (IOException | DirectoryIteratorException gone) {
            return Stream.empty();
        }
        return found.stream();
    }

    private static String text(Path file) {
        try {
            return KernelFile.text(file);
        } catch (IOException gone) {
            return "";
        }
    }
}
