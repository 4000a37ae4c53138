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

    /**
     * Links between the two may lead anywhere within {@code root}, as in the tree of a system, and nowhere else.
     *
     * @throws IOException if the path, or as much of it as there is, is not within {@code root}
     */
    public static void requireWithin(Path root, Path path) throws IOException {
        Path there = path.toAbsolutePath().normalize();
        while (!Files.exists(there, LinkOption.NOFOLLOW_LINKS)) {
            there = Disk.directoryOf(there);
        }
        Path top = root.toAbsolutePath().normalize();
        if (there.startsWith(top) && !there.equals(top) && !there.toRealPath().startsWith(top.toRealPath())) {
            String why = "it leads out of %s, to %s".formatted(root, there.toRealPath());
            throw new FileSystemException(there.toString(), null, why);
        }
    }

    /**
     * Gives a directory its mode. A link that others may have put in its place is not followed; the JDK would do that, because
     * it ignores {@link LinkOption#NOFOLLOW_LINKS} for modes.
     *
     * @throws IOException if there is something else in its place
     */
    public static void mode(Path directory, int mode) throws IOException {
        if (Trust.ofThisProcess().isOnlyOurs(Disk.directoryOf(directory.toAbsolutePath()))) {
            Files.setAttribute(directory, "unix:mode", mode);   // and no native code is loaded, which takes a while
            return;
        }
        try (var held = PathDescriptor.of(directory)) {
            if (!ModeAndOwner.opened(held.path()).is(ModeAndOwner.DIRECTORY)) {
                throw new FileSystemException(directory.toString(), null, "something else is in its place: it keeps its mode");
            }
            Files.setAttribute(held.path(), "unix:mode", mode);
        }
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
