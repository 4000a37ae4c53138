package volsh.fuse.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import volsh.fs.Attributes;
import volsh.fs.Loan;
import volsh.fuse.Appearance;
import volsh.fuse.MountOptions;
import volsh.fuse.Native;
import volsh.fuse.Policies;

/** The answer a worker is putting together: fields one after the other, or a page-aligned payload that goes out as it lies. */
final class Reply {
    private static final int HEADER = 16;
    private static final int ENTRY = 128;
    private static final int PAGE = 4096;
    private static final int SET_ID = 06000;
    private static final int NOTIFY_INVALID_INODE = 2;
    private static final int VECTOR = 16;
    private static final int PIECES_MAX = 64;

    private final MemorySegment header;
    private final MemorySegment body;
    private final MemorySegment vectors;
    private final MemorySegment notice;
    private final ByteBuffer payload;
    private final Told told;
    private final Appearance appearance;
    private final Policies policies;   // null before the mount has begun
    private final long attributeSeconds;
    private final int attributeNanos;
    private final long entrySeconds;
    private final int entryNanos;
    private long at;
    private long opened;
    private Loan loan;          // null unless the payload lies elsewhere
    private Attributes stale;   // null unless the kernel may hold other attributes of the file being opened

    Reply(Native calls, Arena arena, MountOptions options, Told told, Policies policies) {
        this.policies = policies;
        this.told = told;
        this.appearance = options.appearance();
        this.header = arena.allocate(HEADER, 8);
        this.body = calls.memory(arena, Request.PAYLOAD_MAX);
        this.vectors = arena.allocate(VECTOR * (1 + PIECES_MAX), 8);
        this.notice = arena.allocate(HEADER + 24, 8);
        this.payload = body.asByteBuffer();
        this.attributeSeconds = options.attributeTimeout().toSeconds();
        this.attributeNanos = options.attributeTimeout().toNanosPart();
        this.entrySeconds = options.entryTimeout().toSeconds();
        this.entryNanos = options.entryTimeout().toNanosPart();
    }

    /** Starts over. */
    Reply clear() {
        giveBack();
        at = 0;
        opened = 0;
        stale = null;
        return this;
    }

    /** This reply brings the kernel a new handle, of a file with these attributes; null for a directory. */
    Reply opens(long handle, Attributes attributes) {
        opened = handle;
        stale = attributes == null || told.contains(attributes) ? null : attributes;
        return this;
    }

    /** The handle this reply brings; 0 if it brings none. */
    long opened() {
        return opened;
    }

    Reply int16(int value) {
        body.set(JAVA_SHORT_UNALIGNED, at, (short) value);
        at += 2;
        return this;
    }

    Reply int32(int value) {
        body.set(JAVA_INT_UNALIGNED, at, value);
        at += 4;
        return this;
    }

    Reply int64(long value) {
        body.set(JAVA_LONG_UNALIGNED, at, value);
        at += 8;
        return this;
    }

    Reply zeros(int count) {
        body.asSlice(at, count).fill((byte) 0);
        at += count;
        return this;
    }

    Reply bytes(byte[] bytes) {
        MemorySegment.copy(bytes, 0, body, JAVA_BYTE, at, bytes.length);
        at += bytes.length;
        return this;
    }

    /** Room for a payload of {@code count} bytes; {@link #filled} says how many of them there are. */
    ByteBuffer room(int count) {
        return payload.clear().limit(count).slice();
    }

    /** Bytes put together so far. */
    long size() {
        return at;
    }

    /** The inode that this reply tells of, where it begins with one. */
    long node() {
        return at < 8 ? 0 : body.get(JAVA_LONG_UNALIGNED, 0);
    }

    int int32At(long offset) {
        return body.get(JAVA_INT_UNALIGNED, offset);
    }

    long int64At(long offset) {
        return body.get(JAVA_LONG_UNALIGNED, offset);
    }

    byte[] bytesAt(long offset, int count) {
        return body.asSlice(offset, count).toArray(JAVA_BYTE);
    }

    Reply filled(int count) {
        at = count;
        return this;
    }

    /** The payload as it lies in memory: it goes out from there, and then the loan is given back. */
    Reply lent(Loan payloads) {
        if (payloads.pieces().size() > PIECES_MAX) {
            try (payloads) {
                var target = room(payloads.length());
                payloads.pieces().forEach(target::put);
            }
        } else {
            loan = payloads;
        }
        return filled(payloads.length());
    }

    /** Gives back what was lent for this reply. */
    void giveBack() {
        if (loan != null) {
            loan.close();
            loan = null;
        }
    }

    /** The attributes alone, as GETATTR and SETATTR answer. */
    Reply attributes(Attributes attributes) {
        var kept = kept(attributes);
        return kept == null ? int64(attributeSeconds).int32(attributeNanos).int32(0).stat(attributes)
                : int64(kept.toSeconds()).int32(kept.toNanosPart()).int32(0).stat(attributes);
    }

    /** A node and its attributes, as LOOKUP and everything that makes a file answer. Node 0 tells the kernel to count nothing. */
    Reply entry(Attributes attributes, boolean counted) {
        int64(counted ? attributes.ino() : 0).int64(0);
        var kept = kept(attributes);
        if (kept == null) {
            int64(entrySeconds).int64(attributeSeconds).int32(entryNanos).int32(attributeNanos);
        } else {
            int64(kept.toSeconds()).int64(kept.toSeconds()).int32(kept.toNanosPart()).int32(kept.toNanosPart());
        }
        return stat(attributes);
    }

    /**
     * What a policy says; null if none does. The mode of a set-id program is asked for each time: another mount may have taken its bits away, and its
     * bytes are always the newest.
     */
    private Duration kept(Attributes attributes) {
        if (attributes.isRegular() && (attributes.mode() & SET_ID) != 0) {
            return Duration.ZERO;
        }
        return policies == null ? null : policies.kept(attributes);
    }

    private Reply stat(Attributes real) {
        told.add(real);
        var a = appearance.of(real);
        return int64(a.ino()).int64(a.size()).int64((a.allocated() + 511) / 512)
                .int64(Math.floorDiv(a.atime(), 1_000_000_000L))
                .int64(Math.floorDiv(a.mtime(), 1_000_000_000L))
                .int64(Math.floorDiv(a.ctime(), 1_000_000_000L))
                .int32(Math.floorMod(a.atime(), 1_000_000_000))
                .int32(Math.floorMod(a.mtime(), 1_000_000_000))
                .int32(Math.floorMod(a.ctime(), 1_000_000_000))
                .int32(a.statMode()).int32(a.links()).int32(a.uid()).int32(a.gid()).int32(a.device()).int32(PAGE).int32(0);
    }

    /** A directory entry; false, with nothing added, if it does not fit {@code limit} bytes. */
    boolean directoryEntry(long ino, long cookie, int kind, byte[] name, int limit) {
        int padded = (24 + name.length + 7) & ~7;
        if (at + padded > limit) {
            return false;
        }
        int64(ino).int64(cookie).int32(name.length).int32(kind).bytes(name).zeros(padded - 24 - name.length);
        return true;
    }

    /** A directory entry with attributes; {@code counted} is false for {@code .} and {@code ..}. */
    boolean directoryEntryPlus(Attributes attributes, boolean counted, long cookie, byte[] name, int limit) {
        int padded = (24 + name.length + 7) & ~7;
        if (at + ENTRY + padded > limit) {
            return false;
        }
        entry(attributes, counted);
        return directoryEntry(attributes.ino(), cookie, attributes.kind().code(), name, limit);
    }

    /** An entry of which no more is told than its name: the kernel looks it up when it is wanted. */
    boolean directoryEntryPlus(long ino, long cookie, int kind, byte[] name, int limit) {
        int padded = (24 + name.length + 7) & ~7;
        if (at + ENTRY + padded > limit) {
            return false;
        }
        for (int i = 0; i < ENTRY; i += Long.BYTES) {
            int64(0);
        }
        return directoryEntry(ino, cookie, kind, name, limit);
    }

    /** Sends what was put together; 0, or the negative error number with which the kernel refused. */
    long send(Native calls, int descriptor, long unique) {
        if (stale != null) {
            forgetAttributes(calls, descriptor, stale.ino());
        }
        return send(calls, descriptor, unique, 0, at);
    }

    /**
     * Before a file is opened that has changed since the kernel was told of it: the kernel asks again how long it is. No
     * request waits for this, and it waits for none, as long as it does not concern pages.
     */
    private void forgetAttributes(Native calls, int descriptor, long ino) {
        notice.set(JAVA_INT_UNALIGNED, 0, HEADER + 24);
        notice.set(JAVA_INT_UNALIGNED, 4, NOTIFY_INVALID_INODE);
        notice.set(JAVA_LONG_UNALIGNED, 8, 0);
        notice.set(JAVA_LONG_UNALIGNED, HEADER, ino);
        notice.set(JAVA_LONG_UNALIGNED, HEADER + 8, -1);
        notice.set(JAVA_LONG_UNALIGNED, HEADER + 16, 0);
        vector(0, notice, HEADER + 24);
        calls.writev(descriptor, vectors, 1);
    }

    long sendError(Native calls, int descriptor, long unique, int errno) {
        return send(calls, descriptor, unique, -errno, 0);
    }

    private long send(Native calls, int descriptor, long unique, int error, long length) {
        header.set(JAVA_INT_UNALIGNED, 0, (int) (HEADER + length));
        header.set(JAVA_INT_UNALIGNED, 4, error);
        header.set(JAVA_LONG_UNALIGNED, 8, unique);
        vector(0, header, HEADER);
        int count = length == 0 ? 1 : loan == null ? vector(1, body, length) : vectors(loan.pieces());
        try {
            return Math.min(0, calls.writev(descriptor, vectors, count));
        } finally {
            giveBack();
        }
    }

    private int vectors(List<ByteBuffer> pieces) {
        int count = 1;
        for (var piece : pieces) {
            count = vector(count, MemorySegment.ofBuffer(piece), piece.remaining());
        }
        return count;
    }

    /** Sets one vector; returns the number of the next. */
    private int vector(int number, MemorySegment bytes, long length) {
        vectors.set(JAVA_LONG_UNALIGNED, (long) VECTOR * number, bytes.address());
        vectors.set(JAVA_LONG_UNALIGNED, (long) VECTOR * number + 8, length);
        return number + 1;
    }
}
