package volsh.meta;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import volsh.engine.MetaEngine;
import volsh.fs.Lock;

/**
 * The locks of one kind on one file as one row, each with its session. An owner's locks never overlap; adjacent ones of
 * the same mode are merged. Immutable: changes return another row.
 */
public record LockRow(Lock.Kind kind, List<Held> held) {
    private static final byte FORMAT = 1;
    private static final int BYTES = 8 + 1 + 8 + 8 + 8 + 4;
    /** The most locks that fit into a row. */
    static final int LOCKS_MAX = (MetaEngine.VALUE_MAX - 1) / BYTES;

    /** A lock that is held. */
    record Held(long session, Lock lock) {
        boolean isOf(long otherSession, long owner) {
            return session == otherSession && lock.owner() == owner;
        }
    }

    public LockRow {
        held = List.copyOf(held);
    }

    /** The conflicting lock of another owner that begins first in the file. */
    Optional<Held> conflict(long session, Lock wanted) {
        return held.stream().filter(other -> isInTheWay(other, session, wanted))
                .min(Comparator.comparingLong(other -> other.lock().start()));
    }

    /** All conflicting locks of other owners. */
    List<Held> conflicts(long session, Lock wanted) {
        return held.stream().filter(other -> isInTheWay(other, session, wanted)).toList();
    }

    private static boolean isInTheWay(Held other, long session, Lock wanted) {
        return !other.isOf(session, wanted.owner()) && (wanted.exclusive() || other.lock().exclusive())
                && other.lock().overlaps(wanted.start(), wanted.last());
    }

    /** With this lock, replacing what its owner had on those bytes. The caller checks for conflicts. */
    LockRow with(long session, Lock lock) {
        var rest = new ArrayList<>(without(session, lock.owner(), lock.start(), lock.last()).held);
        long start = lock.start();
        long last = lock.last();
        for (var other : List.copyOf(rest)) {
            boolean alike = other.isOf(session, lock.owner()) && other.lock().exclusive() == lock.exclusive();
            if (alike && other.lock().last() != Lock.END && other.lock().last() + 1 == start) {
                start = other.lock().start();
                rest.remove(other);
            } else if (alike && last != Lock.END && last + 1 == other.lock().start()) {
                last = other.lock().last();
                rest.remove(other);
            }
        }
        rest.add(new Held(session, lock.on(start, last)));
        return new LockRow(kind, rest);
    }

    /** Without the owner's locks on bytes {@code [start, last]}; those around them stay. */
    LockRow without(long session, long owner, long start, long last) {
        var rest = new ArrayList<Held>(held.size() + 1);
        for (var other : held) {
            var lock = other.lock();
            if (!other.isOf(session, owner) || !lock.overlaps(start, last)) {
                rest.add(other);
                continue;
            }
            if (lock.start() < start) {
                rest.add(new Held(session, lock.on(lock.start(), start - 1)));
            }
            if (lock.last() > last) {
                rest.add(new Held(session, lock.on(last + 1, lock.last())));
            }
        }
        return new LockRow(kind, rest);
    }

    /** Without any lock of a session. */
    LockRow without(long session) {
        return new LockRow(kind, held.stream().filter(other -> other.session() != session).toList());
    }

    boolean has(long session, long owner) {
        return held.stream().anyMatch(other -> other.isOf(session, owner));
    }

    public byte[] toBytes() {
        var out = ByteBuffer.allocate(1 + BYTES * held.size()).put(FORMAT);
        for (var one : held) {
            var lock = one.lock();
            out.putLong(one.session()).put((byte) (lock.exclusive() ? 1 : 0)).putLong(lock.start()).putLong(lock.last())
                    .putLong(lock.owner()).putInt(lock.process());
        }
        return out.array();
    }

    /** Parses a row; no row means no locks. */
    public static LockRow parse(Lock.Kind kind, byte @Nullable [] row) throws IOException {
        if (row == null) {
            return new LockRow(kind, List.of());
        }
        var in = ByteBuffer.wrap(row);
        int format = in.get();
        if (format != FORMAT) {
            throw new IOException("unsupported lock row format %d: this volsh supports %d; upgrade volsh"
                    .formatted(format, FORMAT));
        }
        var held = new ArrayList<Held>();
        while (in.hasRemaining()) {
            long session = in.getLong();
            boolean exclusive = in.get() == 1;
            held.add(new Held(session, new Lock(kind, exclusive, in.getLong(), in.getLong(), in.getLong(),
                    in.getInt())));
        }
        return new LockRow(kind, held);
    }
}
