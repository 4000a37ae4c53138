package volsh.command.failure;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Local files that a name that does not exist may mean. */
final class NearNames {
    private static final int LOOKED_AT_MAX = 5_000;

    private NearNames() {}

    /** The problem with names that resemble the first part of the path that is not there. */
    static Problem beside(@Nullable String file, Problem problem) {
        Problem told = problem;
        for (String similar : file == null ? List.<String>of() : similar(file)) {
            told = told.detail("did you mean '%s'?".formatted(similar));
        }
        return told;
    }

    private static List<String> similar(String file) {
        try {
            Path missing = Path.of(file);
            while (missing.getParent() != null && !Files.isDirectory(missing.getParent())) {
                missing = missing.getParent();
            }
            Path there = missing;
            return Similar.to(String.valueOf(missing.getFileName()), names(missing.getParent())).stream().limit(1)
                    .map(name -> whole(there.resolveSibling(name), there.relativize(Path.of(file)))).toList();
        } catch (IOException | InvalidPathException | DirectoryIteratorException unreadable) {
            return List.of();
        }
    }

    /** With the rest of the path, if that is there. */
    private static String whole(Path near, Path rest) {
        Path all = rest.toString().isEmpty() ? near : near.resolve(rest);
        return (Files.exists(all) ? all : near).toString();
    }

    private static List<String> names(@Nullable Path directory) throws IOException {
        var names = new ArrayList<String>();
        try (var entries = Files.newDirectoryStream(directory == null ? Path.of("") : directory)) {
            for (Path entry : entries) {
                names.add(entry.getFileName().toString());
                if (names.size() == LOOKED_AT_MAX) {
                    break;
                }
            }
        }
        return names;
    }
}
