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

/** The user's own files, as samples for benches that ask how these would do. */
public final class Sources {
    private Sources() {}

    /** Regular files that are not empty, below the directory or the file itself; at most so many, in the order of the disk. */
    public static List<Path> below(Path place, int limit, BooleanSupplier stop) throws IOException {
        var files = maybeBelow(place, limit, stop);
        if (files.isEmpty()) {
            throw new IllegalArgumentException("there are no files with data in " + place);
        }
        return files;
    }

    /** The same; there may be none. */
    public static List<Path> maybeBelow(Path place, int limit, BooleanSupplier stop) throws IOException {
        var files = new ArrayList<Path>();
        Files.walkFileTree(place, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (attributes.isRegularFile() && attributes.size() > 0) {
                    files.add(file);
                }
                return files.size() >= limit || stop.getAsBoolean() ? FileVisitResult.TERMINATE : FileVisitResult.CONTINUE;
            }
        });
        return files;
    }
}
