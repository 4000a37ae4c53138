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

/** Trees of local files that a program creates, fills and removes. */
public final class LocalTrees {
    private LocalTrees() {}

    /**
     * Resolves a relative path below {@code root}, without links in between.
     *
     * @throws IOException if the path leads out of {@code root}, or through a link
     */
    public static Path below(Path root, String relative) throws IOException {
        Path top = root.normalize();
        Path path = top.resolve(relative).normalize();
        if (!path.startsWith(top)) {
            throw new AccessDeniedException(relative, null, "it is outside of " + root);
        }
        Path at = top;
        for (Path name : top.relativize(path.equals(top) ? top : path.getParent())) {
            at = at.resolve(name);
            if (!name.toString().isEmpty() && Files.isSymbolicLink(at)) {
                throw new FileSystemException(at.toString(), null, "symbolic links are not followed here");
            }
        }
        return path;
    }

    /**
     * Links between the two may lead anywhere within {@code root}, as in the tree of a system, and nowhere else.
     *
     * @throws IOException if the path, or its existing part, is not within {@code root}
     */
    public static void requireWithin(Path root, Path path) throws IOException {
        Path there = path.toAbsolutePath().normalize();
        while (!Files.exists(there, LinkOption.NOFOLLOW_LINKS)) {
            there = Disk.directoryOf(there);
        }
        Path top = root.toAbsolutePath().normalize();
        if (there.startsWith(top) && !there.equals(top) && !there.toRealPath().startsWith(top.toRealPath())) {
            String why = "it is outside of %s: it leads to %s".formatted(root, there.toRealPath());
            throw new FileSystemException(there.toString(), null, why);
        }
    }

    /**
     * Sets the mode of a directory. Does not follow a link that others may have put in its place; the JDK would,
     * because it ignores {@link LinkOption#NOFOLLOW_LINKS} for modes.
     *
     * @throws IOException if there is something else in its place
     */
    public static void mode(Path directory, int mode) throws IOException {
        if (Trust.ofThisProcess().isOnlyOurs(Disk.directoryOf(directory.toAbsolutePath()))) {
            Files.setAttribute(directory, "unix:mode", mode);   // avoids loading native code, which takes a while
            return;
        }
        try (var held = PathDescriptor.of(directory)) {
            if (!ModeAndOwner.opened(held.path()).is(ModeAndOwner.DIRECTORY)) {
                throw new FileSystemException(directory.toString(), null,
                        "it was replaced meanwhile: its mode was not changed");
            }
            Files.setAttribute(held.path(), "unix:mode", mode);
        }
    }

    /** Removes a directory with everything in it, if it exists; links are removed, not followed. */
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
