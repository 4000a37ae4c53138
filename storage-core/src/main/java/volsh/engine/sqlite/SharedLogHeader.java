package volsh.engine.sqlite;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import volsh.engine.StateMark;
import volsh.proc.KernelFile;

/**
 * The header of SQLite's index of the log, in the memory that all processes which use the database share: every commit
 * changes it, and SQLite itself tells by it whether what it remembers is still true. It is read where SQLite has mapped
 * it, because closing a descriptor of that file would drop SQLite's locks. Used only while a connection is open.
 */
final class SharedLogHeader {
    private static final int WORDS = 6;
    private static final int BYTES = WORDS * Long.BYTES;
    private static final int VERSION = 3_007_000;
    private static final int INITIALISED = 12;
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    private final Path index;
    private volatile @Nullable MemorySegment mapped;
    private volatile boolean sought;

    SharedLogHeader(Path index) {
        this.index = index;
    }

    /** What is committed now; null if it cannot be told, for example while a commit is under way. */
    @Nullable StateMark mark() throws IOException {
        var memory = mapped();
        if (memory == null || memory.get(ValueLayout.JAVA_INT, 0) != VERSION
                || memory.get(ValueLayout.JAVA_BYTE, INITIALISED) == 0) {
            return null;
        }
        long[] words = new long[WORDS];
        for (int i = 0; i < WORDS; i++) {
            words[i] = memory.get(WORD, (long) i * Long.BYTES);
        }
        VarHandle.loadLoadFence();   // a commit writes the second copy first
        for (int i = 0; i < WORDS; i++) {
            if (memory.get(WORD, BYTES + (long) i * Long.BYTES) != words[i]) {
                return null;
            }
        }
        VarHandle.fullFence();   // what is compared with it is read afterwards
        return new StateMark(words[0], words[1], words[2], words[3], words[4], words[5]);
    }

    private @Nullable MemorySegment mapped() throws IOException {
        var known = mapped;
        if (known != null || sought) {
            return known;
        }
        synchronized (this) {
            if (!sought) {
                mapped = find();
                sought = true;
            }
            return mapped;
        }
    }

    @SuppressWarnings("restricted")   // memory that stays mapped while a connection is open
    private @Nullable MemorySegment find() throws IOException {
        if (!Files.exists(index) || ByteOrder.nativeOrder() != ByteOrder.LITTLE_ENDIAN) {
            return null;
        }
        String inode = String.valueOf(Files.getAttribute(index, "unix:ino"));
        String path = index.toRealPath().toString();
        for (String line : KernelFile.text(Path.of("/proc/self/maps")).lines().toList()) {
            // 7f12a000-7f132000 rw-s 00000000 fd:01 1234   /home/data.db-shm
            var fields = line.split(" +", 6);
            if (fields.length == 6 && fields[1].endsWith("s") && fields[4].equals(inode)
                    && Long.parseLong(fields[2], 16) == 0 && fields[5].equals(path)) {
                long start = Long.parseUnsignedLong(fields[0].substring(0, fields[0].indexOf('-')), 16);
                return MemorySegment.ofAddress(start).reinterpret(2L * BYTES);
            }
        }
        return null;
    }
}
