package volsh.bucketfs;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.unit.ByteSize;

/**
 * The memory of all files that are being written. Writers wait while it is used up and uploads are under way that will
 * give some back; they never wait for each other alone. Thread-safe.
 */
final class WriteMemory {
    /** Sizes grow from this one by this factor; pieces of the first ones are used again. */
    static final long SMALLEST = 64 << 10;
    static final int GROWTH = 4;
    private static final List<Integer> SPARES_MAX = List.of(64, 16, 8);   // 16 MiB

    private static final int PARTS_MAX = 4;
    private static final int RESERVE = 4;   // a quarter more, for writers that only end what they began
    private static final long LOOK_MILLIS = 100;

    private final long most;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final List<ConcurrentLinkedDeque<Piece>> spares =
            Stream.generate(ConcurrentLinkedDeque<Piece>::new).limit(SPARES_MAX.size()).toList();
    private final ConcurrentLinkedDeque<Piece> parts = new ConcurrentLinkedDeque<>();
    private long used;
    private int sending;

    /** Memory outside of the heap; its bytes are anything. {@code arena} is null for one that is used again. */
    record Piece(MemorySegment memory, @Nullable Arena arena) {
        static final Piece NONE = new Piece(MemorySegment.NULL, null);
    }

    WriteMemory(long most) {
        this.most = most;
    }

    Piece take(long size) {
        add(size, 0);
        int kind = kind(size);
        if (kind < 0) {
            var part = parts.poll();
            if (part != null && part.memory.byteSize() == size) {
                return part;
            }
            close(part);
            var arena = Arena.ofShared();
            return new Piece(arena.allocate(size, Long.BYTES), arena);
        }
        var spare = spares.get(kind).poll();
        return spare != null ? spare : new Piece(Arena.ofAuto().allocate(size, Long.BYTES), null);
    }

    void give(Piece piece) {
        add(-piece.memory.byteSize(), 0);
        int kind = kind(piece.memory.byteSize());
        if (piece.arena != null && parts.size() < PARTS_MAX) {
            parts.push(piece);
        } else if (piece.arena != null) {
            close(piece);
        } else if (kind >= 0 && spares.get(kind).size() < SPARES_MAX.get(kind)) {
            spares.get(kind).push(piece);
        }
    }

    private static void close(@Nullable Piece piece) {
        if (piece != null && piece.arena != null) {
            piece.arena.close();
        }
    }

    /** Nothing is being written: gives spare parts back to the system. */
    void rest() {
        for (var part = parts.poll(); part != null; part = parts.poll()) {
            close(part);
        }
    }

    /** Which of the spare ones have this size; -1 if none. */
    private static int kind(long size) {
        long each = SMALLEST;
        for (int kind = 0; kind < SPARES_MAX.size(); kind++) {
            if (size == each) {
                return kind;
            }
            each *= GROWTH;
        }
        return -1;
    }

    void sending() {
        add(0, 1);
    }

    void sent() {
        add(0, -1);
    }

    private void add(long bytes, int uploads) {
        lock.lock();
        try {
            used += bytes;
            sending += uploads;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits for memory if waiting can help. @throws FsException NO_SPACE if there is none */
    void await(String key) throws IOException {
        lock.lock();
        try {
            while (used > most && sending > 0) {
                var _ = changed.await(LOOK_MILLIS, TimeUnit.MILLISECONDS);
            }
            if (used > most + most / RESERVE) {
                throw new FsException(FsError.NO_SPACE, ("%s: all memory for files that are being written is in use "
                        + "(%s): write fewer files at once, or mount with a smaller --part").formatted(key,
                        new ByteSize(used)));
            }
        } catch (InterruptedException stop) {
            throw Failures.interrupted();
        } finally {
            lock.unlock();
        }
    }

    boolean isUsedUp() {
        return used() > most;
    }

    long used() {
        lock.lock();
        try {
            return used;
        } finally {
            lock.unlock();
        }
    }

    /** Whether files should keep less of what they could send. */
    boolean isTight() {
        return used() > most / 2;
    }
}
