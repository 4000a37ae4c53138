package volsh.engine.sqlite;

import static java.nio.file.attribute.PosixFilePermissions.asFileAttribute;
import static java.nio.file.attribute.PosixFilePermissions.fromString;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import volsh.fs.DiskSpace;

/**
 * A file beside a database whose space is lent when the disk is full: to transactions that free space, which need some
 * themselves, and to copying the log into the database, which makes it grow. It is created, and restored, when there is
 * plenty of space.
 */
record SpaceReserve(Path database) {
    static final int BYTES = 1 << 20;
    /** The size on a large disk with many writes: the database may grow by that much before the log is copied. */
    static final int MOST_BYTES = 8 << 20;
    /** It is not created if it would itself fill the disk. */
    private static final int PLENTY = 4;
    private static final int VERY_MUCH = 32;
    /** More than SQLite needs to open a database. */
    static final long LENT = 128 << 10;
    private static final int PAGE = 4096;

    private Path path() {
        return database.resolveSibling(database.getFileName() + "-reserve");
    }

    private DiskSpace space() throws IOException {
        return DiskSpace.of(Objects.requireNonNull(database.toAbsolutePath().getParent()));
    }

    /** Creates or restores it, if the disk has plenty of space. */
    void make() {
        try {
            if (bytes() < BYTES) {
                var space = space();
                long wanted = Math.min(BYTES, space.kept());
                if (bytes() < wanted && space.available() >= PLENTY * wanted) {
                    fill(wanted);
                }
            }
        } catch (IOException later) {
            // there may be more space another time
        }
    }

    /** Makes it as large as possible, if it exists and the disk has space for many of them. */
    void makeLarge() {
        try {
            long size = bytes();
            if (size > 0 && size < MOST_BYTES
                    && space().available() >= (long) VERY_MUCH * MOST_BYTES) {
                fill(MOST_BYTES);
            }
        } catch (IOException later) {
            // then the log is copied more often
        }
    }

    /** How much it can lend. */
    long bytes() {
        try {
            return Files.size(path());
        } catch (IOException none) {
            return 0;
        }
    }

    /** Gives up a part of it temporarily; false if there is none. */
    boolean lend(long bytes) {
        try (var file = FileChannel.open(path(), StandardOpenOption.WRITE)) {
            long before = file.size();
            file.truncate(Math.max(0, before - bytes));
            return before > 0;
        } catch (IOException none) {
            return false;
        }
    }

    /** Takes back what it lent, as far as it was not used. */
    void takeBack() {
        try {
            if (Files.exists(path())) {
                fill(Math.min(BYTES, DiskSpace.of(path()).kept()));
            }
        } catch (IOException full) {
            // it keeps what it got
        }
    }

    /** Not with zeros, which some file systems do not store. */
    private void fill(long bytes) throws IOException {
        var append = Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        try (var file = FileChannel.open(path(), append, asFileAttribute(fromString("rw-------")))) {
            var random = new SplittableRandom();
            byte[] page = new byte[PAGE];
            for (long size = file.size(); size < bytes; size += PAGE) {
                random.nextBytes(page);
                file.write(ByteBuffer.wrap(page));
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
