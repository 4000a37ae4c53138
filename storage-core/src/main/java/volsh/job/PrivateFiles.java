package volsh.job;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import volsh.json.Json;

/** Small private files, written atomically. */
final class PrivateFiles {
    private static final FileAttribute<Set<PosixFilePermission>> FILE = mode("rw-------");
    private static final FileAttribute<Set<PosixFilePermission>> DIRECTORY = mode("rwx------");

    private PrivateFiles() {}

    private static FileAttribute<Set<PosixFilePermission>> mode(String text) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(text));
    }

    /** @throws java.nio.file.FileAlreadyExistsException if it exists */
    static void makeDirectory(Path directory) throws IOException {
        Files.createDirectory(directory, DIRECTORY);
    }

    static void makeDirectories(Path directory) throws IOException {
        Files.createDirectories(directory, DIRECTORY);
    }

    static void create(Path file) throws IOException {
        Files.createFile(file, FILE);
    }

    static void put(Path file, Object value) throws IOException {
        Files.move(fresh(file, value), file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** @throws java.nio.file.FileAlreadyExistsException if another process was first */
    static void putFirst(Path file, Object value) throws IOException {
        Path fresh = fresh(file, value);
        try {
            Files.createLink(file, fresh);
        } finally {
            Files.delete(fresh);
        }
    }

    /** Makes the content of a file, or the names in a directory, survive power loss. */
    static void sync(Path path) throws IOException {
        try (var channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    private static Path fresh(Path file, Object value) throws IOException {
        Path fresh = Files.createTempFile(file.getParent(), ".", ".new", FILE);
        return Files.write(fresh, Json.write(value), StandardOpenOption.TRUNCATE_EXISTING);
    }
}
