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

/** Files of a person that nobody else reads, and that several prompts write. */
final class PrivateFile {
    private PrivateFile() {}

    interface Work {
        void run() throws IOException;
    }

    /** Makes the file, 0600, where there is none; nobody else could ever open it. */
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

    /** Does {@code work} while no other process does: the lock is on a file beside it, because the file itself is replaced. */
    static void locked(Path file, Work work) throws IOException {
        Path lock = file.resolveSibling(file.getFileName() + ".lock");
        ready(lock);
        try (var channel = FileChannel.open(lock, CREATE, WRITE)) {
            synchronized (PrivateFile.class) {   // the lock is the process's; its threads have to agree among themselves
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
