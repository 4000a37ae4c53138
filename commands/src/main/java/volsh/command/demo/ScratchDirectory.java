package volsh.command.demo;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;

/** A directory below {@code $TMPDIR} or the system's temporary one that is gone, with everything in it, when closed. */
record ScratchDirectory(Path path) implements AutoCloseable {
    static ScratchDirectory make(Map<String, String> environment) throws IOException {
        String parent = environment.getOrDefault("TMPDIR", "");
        return new ScratchDirectory(Files.createTempDirectory(
                Path.of(parent.isEmpty() ? System.getProperty("java.io.tmpdir") : parent), "volsh-demo-"));
    }

    @Override
    public void close() throws IOException {
        delete(path);
    }

    static void delete(Path top) throws IOException {
        Files.walkFileTree(top, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, IOException failure) throws IOException {
                Files.delete(directory);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
