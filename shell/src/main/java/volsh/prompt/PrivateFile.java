package volsh.prompt;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** Files that only this user can read, and that several prompts write. */
final class PrivateFile {
    private PrivateFile() {}

    interface Work {
        void run() throws IOException;
    }

    /** Creates a missing file with mode 0600 from the start. */
    static Path ready(Path file) throws IOException {
        var mine = PosixFilePermissions.fromString("rw-------");
        Files.createDirectories(file.toAbsolutePath().getParent());
        try {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(mine));
        } catch (FileAlreadyExistsException there) {
            Files.setPosixFilePermissions(file, mine);
        }
        return file;
    }

    /** Runs {@code work} under a lock between processes, on a separate file because the file itself is replaced. */
    static void locked(Path file, Work work) throws IOException {
        Path lock = file.resolveSibling(file.getFileName() + ".lock");
        ready(lock);
        try (var channel = FileChannel.open(lock, CREATE, WRITE)) {
            // file locks belong to the process, so its threads need a lock of their own
            synchronized (PrivateFile.class) {
                try (var _ = channel.lock()) {
                    work.run();
                }
            }
        }
    }

    /** The whole text or the old one, never a part. */
    static void replace(Path file, String text) throws IOException {
        Path next = ready(file.resolveSibling(file.getFileName() + ".new"));
        Files.writeString(next, text);
        Files.move(next, file, ATOMIC_MOVE);
    }
}
