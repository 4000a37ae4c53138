package volsh.meta.sqlite;

import static java.nio.file.attribute.PosixFilePermissions.asFileAttribute;
import static java.nio.file.attribute.PosixFilePermissions.fromString;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/**
 * A file of zeros beside a database. When the disk is full it is given up for a transaction that frees space, which needs some itself; it is made again when there is
 * plenty.
 */
record SpaceReserve(Path database) {
    static final int BYTES = 512 << 10;
    /** It is not made where it would be what fills the disk. */
    private static final int PLENTY = 4;

    private Path path() {
        return database.resolveSibling(database.getFileName() + "-reserve");
    }

    /** Makes it, if it is not there and the disk has plenty of space. */
    void make() {
        try {
            if (!Files.exists(path()) && Files.getFileStore(database).getUsableSpace() >= (long) PLENTY * BYTES) {
                write();
            }
        } catch (IOException later) {
            // there will be more space another time
        }
    }

    private void write() throws IOException {
        try (var file = FileChannel.open(path(), Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), asFileAttribute(fromString("rw-------")))) {
            var zeros = ByteBuffer.allocate(BYTES);
            while (zeros.hasRemaining()) {
                file.write(zeros);
            }
        } catch (IOException full) {
            Files.deleteIfExists(path());
            throw full;
        }
    }

    /** Gives it up; false if there is none. */
    boolean release() {
        try {
            return Files.deleteIfExists(path());
        } catch (IOException kept) {
            return false;
        }
    }
}
