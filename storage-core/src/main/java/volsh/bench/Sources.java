package volsh.bench;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** The user's own files as samples. */
public final class Sources {
    private Sources() {}

    /** Non-empty regular files below the directory, or the file itself; at most {@code limit}, in disk order. */
    public static List<Path> below(Path place, int limit, BooleanSupplier stop) throws IOException {
        var files = maybeBelow(place, limit, stop);
        if (files.isEmpty()) {
            throw new IllegalArgumentException("no files with data in " + place);
        }
        return files;
    }

    /** Like {@link #below}, but possibly empty. */
    public static List<Path> maybeBelow(Path place, int limit, BooleanSupplier stop) throws IOException {
        var files = new ArrayList<Path>();
        Files.walkFileTree(place, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (attributes.isRegularFile() && attributes.size() > 0) {
                    files.add(file);
                }
                return files.size() >= limit || stop.getAsBoolean() ? FileVisitResult.TERMINATE
                        : FileVisitResult.CONTINUE;
            }
        });
        return files;
    }
}
