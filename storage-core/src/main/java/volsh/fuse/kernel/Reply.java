package volsh.fuse.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import volsh.fs.Attributes;
import volsh.fs.Loan;
import volsh.fuse.Appearance;
import volsh.fuse.FuseEntry;
import volsh.fuse.MountOptions;
import volsh.fuse.Native;
import volsh.fuse.Policies;
import volsh.fuse.kernel.FuseStructs.*;

/** The reply that a worker is assembling: a sequence of structures, or a page-aligned payload sent without copying. */
final class Reply {
    private static final int PAGE = 4096;
    private static final int SET_ID = 06000;
    private static final int PIECES_MAX = 64;

    private final MemorySegment header;
    private final MemorySegment body;
    private final MemorySegment vectors;
    private final MemorySegment notice;
    private final ByteBuffer payload;
    private final AnnouncedEntries told;
    private final Appearance appearance;
    private final @Nullable Policies policies;   // null before the mount has begun
    private final @Nullable LoneCaching lone;    // null if the kernel never remembers for longer
    private final Duration attributeTimeout;
    private final Duration entryTimeout;
    private long at;
    private long structure;     // where the last one begins
    private long opened;
    private boolean grants;     // more time than usual, until it is answered
    private @Nullable Loan loan;          // null unless the payload lies elsewhere
    private @Nullable Attributes stale;   // null unless the kernel may hold other attributes of the file being opened

    Reply(Native calls, Arena arena, MountOptions options, AnnouncedEntries told, @Nullable Policies policies,
            @Nullable LoneCaching lone) {
        this.policies = policies;
        this.lone = lone;
        this.told = told;
        this.appearance = options.appearance();
        this.header = arena.allocate(OutHeader.BYTES, 8);
        this.body = calls.memory(arena, Request.PAYLOAD_MAX);
        this.vectors = arena.allocate(Iovec.BYTES * (1 + PIECES_MAX), 8);
        this.notice = arena.allocate(OutHeader.BYTES + NotifyInvalInodeOut.BYTES, 8);
        this.payload = body.asByteBuffer();
        this.attributeTimeout = options.attributeTimeout();
        this.entryTimeout = options.entryTimeout();
    }

    /** Resets the reply. */
    Reply clear() {
        giveBack();
        at = 0;
        opened = 0;
        stale = null;
        return this;
    }

    /** Marks this reply as carrying a new handle, of a file with these attributes; null for a directory. */
    void opens(long handle, int flags, @Nullable Attributes attributes) {
        opened = handle;
        stale = attributes == null || told.contains(attributes) ? null : attributes;
        add(OpenOut.BYTES).set(OpenOut.FH, handle).set(OpenOut.OPEN_FLAGS, flags);
    }

    /** The same, of a file that the kernel reads from this backing file. */
    void opens(long handle, int flags, int backing, Attributes attributes) {
        opens(handle, flags, attributes);
        set(OpenOut.BACKING_ID, backing);
    }

    /** The handle in this reply; 0 if there is none. */
    long opened() {
        return opened;
    }

    /** Adds a structure of {@code length} bytes, a multiple of eight; fields that are not {@link #set} are 0. */
    Reply add(int length) {
        structure = at;
        for (at += length; length > 0; length -= Long.BYTES) {
            body.set(JAVA_LONG_UNALIGNED, at - length, 0);
        }
        return this;
    }

    Reply set(Int16 field, int value) {
        field.set(body, structure, value);
        return this;
    }

    Reply set(Int32 field, int value) {
        field.set(body, structure, value);
        return this;
    }

    Reply set(Int64 field, long value) {
        field.set(body, structure, value);
        return this;
    }

    Reply bytes(byte[] bytes) {
        MemorySegment.copy(bytes, 0, body, JAVA_BYTE, at, bytes.length);
        at += bytes.length;
        return this;
    }

    /** Space for a payload of {@code count} bytes; {@link #filled} sets the actual count. */
    ByteBuffer room(int count) {
        return payload.clear().limit(count).slice();
    }

    /** Bytes assembled so far. */
    long size() {
        return at;
    }

    /** The inode with which this reply begins, for those that begin with one. */
    long node() {
        return at < Long.BYTES ? 0 : get(EntryOut.NODEID, 0);
    }

    /** A field of the structure that begins at {@code offset}. */
    int get(Int32 field, long offset) {
        return field.get(body, offset);
    }

    long get(Int64 field, long offset) {
        return field.get(body, offset);
    }

    byte[] bytesAt(long offset, int count) {
        return body.asSlice(offset, count).toArray(JAVA_BYTE);
    }

    Reply filled(int count) {
        at = count;
        return this;
    }

    /** Sends the payload directly from its memory, and returns the loan afterwards. */
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

    /** Returns the loan of this reply. */
    void giveBack() {
        if (loan != null) {
            loan.close();
            loan = null;
        }
    }

    /** The attributes alone, as in replies to GETATTR and SETATTR. */
    Reply attributes(Attributes attributes) {
        var kept = attributesKept(attributes, kept(attributes));
        return add(AttrOut.ATTR).set(AttrOut.ATTR_VALID, kept.toSeconds())
                .set(AttrOut.ATTR_VALID_NSEC, kept.toNanosPart())
                .stat(attributes);
    }

    /** A node and its attributes, as in replies to LOOKUP and creating requests. Node 0 counts no reference. */
    Reply entry(Attributes attributes, boolean counted) {
        var policy = kept(attributes);
        var named = policy != null ? policy : grants() ? LoneCaching.KEPT : entryTimeout;
        var kept = attributesKept(attributes, policy);
        return add(EntryOut.ATTR).set(EntryOut.NODEID, counted ? attributes.ino() : 0)
                .set(EntryOut.ENTRY_VALID, named.toSeconds()).set(EntryOut.ENTRY_VALID_NSEC, named.toNanosPart())
                .set(EntryOut.ATTR_VALID, kept.toSeconds()).set(EntryOut.ATTR_VALID_NSEC, kept.toNanosPart())
                .stat(attributes);
    }

    /** A node and its attributes, valid for a while of their own. Counts a reference. */
    Reply entry(FuseEntry found) {
        var attributes = Objects.requireNonNull(found.attributes());
        long seconds = found.valid().toSeconds();
        int nanos = found.valid().toNanosPart();
        return add(EntryOut.ATTR).set(EntryOut.NODEID, attributes.ino())
                .set(EntryOut.ENTRY_VALID, seconds).set(EntryOut.ENTRY_VALID_NSEC, nanos)
                .set(EntryOut.ATTR_VALID, seconds).set(EntryOut.ATTR_VALID_NSEC, nanos)
                .stat(attributes);
    }

    /** There is nothing of that name, and will not be for a while. */
    Reply absent(Duration valid) {
        return add(EntryOut.BYTES).set(EntryOut.ENTRY_VALID, valid.toSeconds())
                .set(EntryOut.ENTRY_VALID_NSEC, valid.toNanosPart());
    }

    /** The attributes alone, valid for a while of their own. */
    Reply attributes(FuseEntry found) {
        return add(AttrOut.ATTR).set(AttrOut.ATTR_VALID, found.valid().toSeconds())
                .set(AttrOut.ATTR_VALID_NSEC, found.valid().toNanosPart())
                .stat(Objects.requireNonNull(found.attributes()));
    }

    /** Whether an entry with attributes fits {@code limit} bytes. */
    boolean fitsPlus(byte[] name, int limit) {
        return at + EntryOut.BYTES + Dirent.padded(name.length) <= limit;
    }

    /** A directory entry with attributes that are valid for a while of their own. Counts a reference. */
    boolean directoryEntryPlus(FuseEntry found, long cookie, byte[] name, int limit) {
        var attributes = Objects.requireNonNull(found.attributes());
        entry(found);
        return directoryEntry(attributes.ino(), cookie, attributes.kind().code(), name, limit);
    }

    /**
     * How long a policy lets the kernel cache this; null without a policy. The mode of a set-id program is never
     * cached: another mount may have cleared its bits, and its bytes are always the newest.
     */
    private @Nullable Duration kept(Attributes attributes) {
        if (attributes.isRegular() && (attributes.mode() & SET_ID) != 0) {
            return Duration.ZERO;
        }
        return policies == null ? null : policies.kept(attributes);
    }

    private Duration attributesKept(Attributes attributes, @Nullable Duration policy) {
        if (policy != null) {
            return policy;
        }
        return !attributes.isDirectory() && grants() && lone != null && lone.grants(attributes.ino())
                ? LoneCaching.KEPT : attributeTimeout;
    }

    /** Whether this reply may let the kernel remember for longer. */
    private boolean grants() {
        grants = grants || lone != null && lone.reply();
        return grants;
    }

    /** The reply was sent, or never will be. */
    void answered() {
        if (grants && lone != null) {
            lone.replied();
        }
        grants = false;
    }

    private Reply stat(Attributes real) {
        told.add(real);
        var a = appearance.of(real);
        return add(Attr.BYTES)
                .set(Attr.INO, a.ino()).set(Attr.SIZE, a.size()).set(Attr.BLOCKS, (a.allocated() + 511) / 512)
                .set(Attr.ATIME, Math.floorDiv(a.atime(), 1_000_000_000L))
                .set(Attr.MTIME, Math.floorDiv(a.mtime(), 1_000_000_000L))
                .set(Attr.CTIME, Math.floorDiv(a.ctime(), 1_000_000_000L))
                .set(Attr.ATIMENSEC, Math.floorMod(a.atime(), 1_000_000_000))
                .set(Attr.MTIMENSEC, Math.floorMod(a.mtime(), 1_000_000_000))
                .set(Attr.CTIMENSEC, Math.floorMod(a.ctime(), 1_000_000_000))
                .set(Attr.MODE, a.statMode()).set(Attr.NLINK, a.links()).set(Attr.UID, a.uid()).set(Attr.GID, a.gid())
                .set(Attr.RDEV, a.device()).set(Attr.BLKSIZE, PAGE);
    }

    /** A directory entry; false, with nothing added, if it does not fit {@code limit} bytes. */
    boolean directoryEntry(long ino, long cookie, int kind, byte[] name, int limit) {
        int padded = Dirent.padded(name.length);
        if (at + padded > limit) {
            return false;
        }
        add(padded).set(Dirent.INO, ino).set(Dirent.OFF, cookie)
                .set(Dirent.NAMELEN, name.length).set(Dirent.TYPE, kind);
        MemorySegment.copy(name, 0, body, JAVA_BYTE, structure + Dirent.BYTES, name.length);
        return true;
    }

    /** A directory entry with attributes; {@code counted} is false for {@code .} and {@code ..}. */
    boolean directoryEntryPlus(Attributes attributes, boolean counted, long cookie, byte[] name, int limit) {
        if (at + EntryOut.BYTES + Dirent.padded(name.length) > limit) {
            return false;
        }
        entry(attributes, counted);
        return directoryEntry(attributes.ino(), cookie, attributes.kind().code(), name, limit);
    }

    /** An entry with just its name: the kernel looks it up when needed. */
    boolean directoryEntryPlus(long ino, long cookie, int kind, byte[] name, int limit) {
        if (at + EntryOut.BYTES + Dirent.padded(name.length) > limit) {
            return false;
        }
        return add(EntryOut.BYTES).directoryEntry(ino, cookie, kind, name, limit);
    }

    /** Sends the reply; returns 0, or the negative error number with which the kernel refused it. */
    long send(Native calls, int descriptor, long unique) {
        if (stale != null) {
            forgetAttributes(calls, descriptor, stale.ino());
        }
        return send(calls, descriptor, unique, 0, at);
    }

    /**
     * Sent before opening a file that has changed since the kernel got its attributes: makes the kernel ask for its
     * length again. This cannot deadlock with a request, because it does not concern pages.
     */
    private void forgetAttributes(Native calls, int descriptor, long ino) {
        Outbox.invalidate(notice, ino, Outbox.NO_PAGES);
        vector(0, notice, notice.byteSize());
        calls.writev(descriptor, vectors, 1);
    }

    long sendError(Native calls, int descriptor, long unique, int errno) {
        return send(calls, descriptor, unique, -errno, 0);
    }

    private long send(Native calls, int descriptor, long unique, int error, long length) {
        OutHeader.set(header, OutHeader.BYTES + length, error, unique);
        vector(0, header, OutHeader.BYTES);
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

    /** Sets one vector; returns the index of the next. */
    private int vector(int number, MemorySegment bytes, long length) {
        Iovec.set(vectors, number, bytes, length);
        return number + 1;
    }
}
