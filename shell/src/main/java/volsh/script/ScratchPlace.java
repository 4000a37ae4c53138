package volsh.script;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/** A temporary directory, removed with its contents, but never across a mount point. */
final class ScratchPlace implements AutoCloseable {
    private final Path directory;

    ScratchPlace() throws IOException {
        this.directory = Files.createTempDirectory("volsh-").toRealPath();
    }

    Path directory() {
        return directory;
    }

    @Override
    public void close() throws IOException {
        Object device = device(directory);
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path inner, BasicFileAttributes attributes) throws IOException {
                if (!device.equals(device(inner))) {
                    throw new IOException(inner + " is still mounted; unmount it, then remove " + directory);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path inner, IOException failure) throws IOException {
                Files.delete(inner);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private static Object device(Path path) throws IOException {
        return Files.getAttribute(path, "unix:dev", LinkOption.NOFOLLOW_LINKS);
    }
}
