package volsh.engine.sqlite;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import volsh.engine.sqlite.WriteAheadLog.Mark;
import volsh.proc.KernelFile;

/**
 * The index shared by all processes that use a database, in a memory-mapped file: it says up to where the log is
 * committed. A killed process leaves it as it was; SQLite discards it when the next one opens the database. It is never
 * synced, so after power loss it says nothing.
 *
 * <p>Its locks are SQLite's, and closing a descriptor of it would drop those of this process: it is opened only if this
 * process does not use it.
 */
record LogIndex(Path path) {
    private static final int HEADER_BYTES = 48;
    private static final int VERSION = 3_007_000;
    private static final int INITIALISED = 12;
    private static final int FRAMES = 16;
    private static final int SALTS = 32;
    private static final int SUMS = 40;

    /** What it says; empty if it is incomplete, or in use by this process. */
    Optional<Mark> mark() throws IOException {
        if (!Files.exists(path) || isMappedHere()) {
            return Optional.empty();
        }
        byte[] headers = new byte[2 * HEADER_BYTES];
        try (var file = new RandomAccessFile(path.toFile(), "r")) {
            if (file.length() < headers.length) {
                return Optional.empty();
            }
            file.readFully(headers);
        }
        // The second is written first: the first is the older one, or they are the same.
        return mark(headers, 0).or(() -> mark(headers, HEADER_BYTES));
    }

    private boolean isMappedHere() throws IOException {
        var inode = String.valueOf(Files.getAttribute(path, "unix:ino"));
        return KernelFile.text(Path.of("/proc/self/maps")).lines().map(line -> line.split(" +", 6))
                .anyMatch(mapping -> mapping.length > 4 && mapping[4].equals(inode));
    }

    private static Optional<Mark> mark(byte[] headers, int at) {
        var header = ByteBuffer.wrap(headers).order(ByteOrder.nativeOrder());
        var sum = new WriteAheadLog.Sum(ByteOrder.nativeOrder());
        sum.add(headers, at, at + SUMS);
        if (header.getInt(at) != VERSION || header.get(at + INITIALISED) == 0 || !sum.matches(header, at + SUMS)) {
            return Optional.empty();
        }
        return Optional.of(new Mark(ByteBuffer.wrap(headers).getLong(at + SALTS), header.getInt(at + FRAMES)));
    }
}
