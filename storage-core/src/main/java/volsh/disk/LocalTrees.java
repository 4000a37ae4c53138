package volsh.disk;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/** Trees of local files that a program makes, fills and removes. */
public final class LocalTrees {
    private LocalTrees() {}

    /**
     * The place of a relative path below {@code root}. What is between the two is no link.
     *
     * @throws IOException if the path leads out of {@code root}, or through a link
     */
    public static Path below(Path root, String relative) throws IOException {
        Path top = root.normalize();
        Path path = top.resolve(relative).normalize();
        if (!path.startsWith(top)) {
            throw new AccessDeniedException(relative, null, "it leads out of " + root);
        }
        Path at = top;
        for (Path name : top.relativize(path.equals(top) ? top : path.getParent())) {
            at = at.resolve(name);
            if (!name.toString().isEmpty() && Files.isSymbolicLink(at)) {
                throw new FileSystemException(at.toString(), null, "it is a symbolic link, and is not followed");
            }
        }
        return path;
    }

    /** Removes a directory with everything in it, if it is there; links are removed, not followed. */
    public static void remove(Path directory) throws IOException {
        if (!Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path emptied, IOException failure) throws IOException {
                Files.delete(emptied);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
