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
    /** What SQLite needs to open a database, and more. */
    private static final int LENT = 128 << 10;
    private static final int PAGE = 4096;

    private Path path() {
        return database.resolveSibling(database.getFileName() + "-reserve");
    }

    /** Makes it, or makes it whole, if the disk has plenty of space. */
    void make() {
        try {
            if (size() < BYTES && Files.getFileStore(database).getUsableSpace() >= (long) PLENTY * BYTES) {
                fill();
            }
        } catch (IOException later) {
            // there will be more space another time
        }
    }

    private long size() throws IOException {
        return Files.exists(path()) ? Files.size(path()) : 0;
    }

    /** Gives up a part of it for a moment; false if there is none. */
    boolean lend() {
        try (var file = FileChannel.open(path(), StandardOpenOption.WRITE)) {
            long before = file.size();
            file.truncate(Math.max(0, before - LENT));
            return before > 0;
        } catch (IOException none) {
            return false;
        }
    }

    /** Takes back what it lent, as far as it was not needed. */
    void takeBack() {
        try {
            if (Files.exists(path())) {
                fill();
            }
        } catch (IOException full) {
            // it keeps what it got
        }
    }

    private void fill() throws IOException {
        var append = Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        try (var file = FileChannel.open(path(), append, asFileAttribute(fromString("rw-------")))) {
            var zeros = ByteBuffer.allocate(PAGE);
            for (long size = file.size(); size < BYTES; size += PAGE) {
                file.write(zeros.rewind());
            }
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
