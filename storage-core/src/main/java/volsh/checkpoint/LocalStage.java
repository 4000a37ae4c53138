package volsh.checkpoint;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.UUID;
import volsh.disk.LocalTrees;

/**
 * Copies of what is to be saved, on a local disk, so that the job that wrote it may go on and overwrite it. A copy is whole and survives
 * power loss once it is returned; what a process left that was killed while it copied has a name that says so.
 */
public final class LocalStage {
    private static final String HALF = ".half";

    private final Path directory;

    public LocalStage(Path directory) {
        this.directory = directory;
    }

    /** Copies a file or a directory into a new directory, and returns that. */
    public Path copy(Path source) throws IOException {
        Saving.requireSource(source);
        Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Path whole = directory.resolve(UUID.randomUUID().toString());
        Path half = whole.resolveSibling(whole.getFileName() + HALF);
        Files.createDirectory(half);
        try {
            if (Files.isDirectory(source)) {
                copyTree(source.toRealPath(), half);
            } else {
                copyFile(source.toRealPath(), half.resolve(source.getFileName()));
            }
            sync(half);
            Files.move(half, whole, StandardCopyOption.ATOMIC_MOVE);
            sync(directory);
            return whole;
        } catch (IOException | RuntimeException failed) {
            LocalTrees.remove(half);
            throw failed;
        }
    }

    /**
     * The same without a copy where the source is on the same disk: it is synced and moves here, so the one who wrote it must not touch it
     * again. From another disk it is copied and then removed.
     */
    public Path take(Path source) throws IOException {
        Saving.requireSource(source);
        if (Files.isSymbolicLink(source) || !Files.getFileStore(source).equals(Files.getFileStore(existing(directory)))) {
            Path copy = copy(source);
            LocalTrees.remove(source);
            return copy;
        }
        Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Path whole = directory.resolve(UUID.randomUUID().toString());
        syncTree(source);
        if (Files.isDirectory(source)) {
            Files.move(source, whole, StandardCopyOption.ATOMIC_MOVE);
        } else {
            Files.createDirectory(whole);
            Files.move(source, whole.resolve(source.getFileName()), StandardCopyOption.ATOMIC_MOVE);
            sync(whole);
        }
        sync(directory);
        sync(source.toAbsolutePath().getParent());
        return whole;
    }

    private static Path existing(Path path) {
        Path found = path.toAbsolutePath();
        while (!Files.exists(found)) {
            found = found.getParent();
        }
        return found;
    }

    private static void syncTree(Path source) throws IOException {
        Files.walkFileTree(source, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (attributes.isRegularFile()) {
                    sync(file);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, IOException failure) throws IOException {
                if (failure != null) {
                    throw failure;
                }
                sync(directory);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private static void copyTree(Path source, Path target) throws IOException {
        Files.walkFileTree(source, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) throws IOException {
                Path copy = target.resolve(source.relativize(directory).toString());
                if (!copy.equals(target)) {
                    Files.createDirectory(copy);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                copyFile(file, target.resolve(source.relativize(file).toString()));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, IOException failure) throws IOException {
                if (failure != null) {
                    throw failure;
                }
                sync(target.resolve(source.relativize(directory).toString()));
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private static void copyFile(Path file, Path copy) throws IOException {
        var before = Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        Files.copy(file, copy, LinkOption.NOFOLLOW_LINKS, StandardCopyOption.COPY_ATTRIBUTES);
        if (before.isRegularFile()) {
            sync(copy);
            var after = Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (before.size() != after.size() || !before.lastModifiedTime().equals(after.lastModifiedTime())) {
                throw new IOException("%s changed while it was copied, so nothing was saved".formatted(file));
            }
        }
    }

    private static void sync(Path path) throws IOException {
        try (var channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
