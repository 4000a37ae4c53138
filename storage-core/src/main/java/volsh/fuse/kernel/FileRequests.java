package volsh.fuse.kernel;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import volsh.fs.Attributes;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Owner;
import volsh.fs.Umask;
import volsh.fuse.Handles;
import volsh.fuse.MountFlag;
import volsh.fuse.MountOptions;
import volsh.fuse.Policies;
import volsh.fuse.Privileges;
import volsh.fuse.RequestFailures;
import volsh.fuse.Space;
import volsh.fuse.kernel.FuseStructs.*;
import volsh.vfs.OpenFile;
import volsh.vfs.Vfs;

/** The requests about the bytes of files. */
final class FileRequests {
    private static final int O_EXCL = 0200;
    private static final int O_TRUNC = 01000;
    private static final int O_APPEND = 02000;
    private static final int OPEN_DIRECT_IO = 1;
    private static final int OPEN_KEEP_CACHE = 2;
    private static final int OPEN_NO_FLUSH = 1 << 5;
    private static final int O_ACCMODE = 3;
    private static final int OPEN_KILL_SET_ID = 1;
    private static final int WRITE_CACHE = 1;
    private static final int WRITE_KILL_SET_ID = 4;
    private static final int FALLOCATE_KEEP_SIZE = 1;
    private static final int FALLOCATE_PUNCH_HOLE = 2;
    private static final int FALLOCATE_ZERO_RANGE = 16;
    private static final int SEEK_DATA = 3;
    private static final int SEEK_HOLE = 4;
    private static final int COPY_MAX = Integer.MAX_VALUE & -4096;

    private final Vfs vfs;
    private final MountOptions options;
    private final Space.Source space;
    private final Handles handles;
    private final PageCaches caches;
    private final LockRequests locks;
    private final Policies policies;
    private final RevalidateOnce secondLooks = new RevalidateOnce();
    private final Refusals refusals = new Refusals();
    private final Outbox outbox;
    private final Privileges privileges;
    private final @Nullable Passthrough passthrough;   // null if the kernel reads nothing by itself

    FileRequests(
            Vfs vfs, MountOptions options, Space.Source space, Handles handles, PageCaches caches, LockRequests locks,
            Policies policies, Privileges privileges, Outbox outbox, @Nullable Passthrough passthrough) {
        this.passthrough = passthrough;
        this.space = space;
        this.privileges = privileges;
        this.outbox = outbox;
        this.policies = policies;
        this.vfs = vfs;
        this.options = options;
        this.handles = handles;
        this.caches = caches;
        this.locks = locks;
    }

    void read(Request in, Reply reply) throws IOException {
        int size = Math.min(in.get(ReadIn.SIZE), Request.PAYLOAD_MAX);
        var file = handles.file(in.get(ReadIn.FH));
        if (policies.isStrict(file.ino())) {
            vfs.attributes(file.ino());   // drops cached extents if the file has another version
        }
        var loan = file.lend(in.get(ReadIn.OFFSET), size);
        if (loan != null) {
            reply.lent(loan);
        } else {
            reply.filled(file.read(in.get(ReadIn.OFFSET), reply.room(size)));
        }
    }

    void write(Request in, Reply reply) throws IOException {
        var file = handles.file(in.get(WriteIn.FH));
        if ((in.get(WriteIn.WRITE_FLAGS) & WRITE_KILL_SET_ID) != 0) {
            dropPrivileges(in, file.ino());
        }
        var bytes = in.payload(WriteIn.BYTES, in.get(WriteIn.SIZE));
        boolean appends = isAppending(in.get(WriteIn.FLAGS)) && (in.get(WriteIn.WRITE_FLAGS) & WRITE_CACHE) == 0;
        int written = appends ? file.append(bytes) : file.write(in.get(WriteIn.OFFSET), bytes);
        reply.add(WriteOut.BYTES).set(WriteOut.SIZE, written);
    }

    /** Clears set-id bits and capabilities before a write by a caller that may not keep them. */
    private void dropPrivileges(Request in, long ino) throws IOException {
        boolean direct = isDirect(ino, in.get(WriteIn.FLAGS)) && (in.get(WriteIn.WRITE_FLAGS) & WRITE_CACHE) == 0;
        dropped(ino, direct ? privileges.dropAll(ino, in.process()) : privileges.drop(ino, in.process()));
    }

    /** With other writers the mount decides where appended bytes go: otherwise the kernel knows the end. */
    private boolean isAppending(int openFlags) {
        return (openFlags & O_APPEND) != 0 && !options.has(MountFlag.SOLE_WRITER)
                && !options.has(MountFlag.WRITEBACK_CACHE);
    }

    void open(Request in, Reply reply, long node) throws IOException {
        var fixed = policies.fixed(node);
        if (fixed != null && fixed.isRegular()) {
            opened(reply, vfs.open(fixed), fixed, in.get(OpenIn.FLAGS));
            return;
        }
        boolean known = vfs.openFiles().contains(node);
        var file = vfs.open(node);
        if (file.found().links() == 0 && !(known && secondLooks.isOne(in.process(), node))) {
            file.close();
            throw new FsException(FsError.STALE);
        }
        int flags = in.get(OpenIn.FLAGS);
        opened(reply, file, prepared(file, flags, in.get(OpenIn.OPEN_FLAGS), in.process()), flags);
    }

    void create(Request in, Reply reply, long parent) throws IOException {
        var name = in.name(CreateIn.BYTES);
        OpenFile file;
        Attributes attributes;
        try {
            file = vfs.create(parent, name, mode(in), in.owner());
            attributes = file.found();
        } catch (FsException refused) {
            if (refused.error() != FsError.EXISTS || (in.get(CreateIn.FLAGS) & O_EXCL) != 0) {
                throw refused;
            }
            file = vfs.open(vfs.lookup(parent, name).ino());   // it was created meanwhile
            attributes = prepared(file, in.get(CreateIn.FLAGS), in.get(CreateIn.OPEN_FLAGS), in.process());
        }
        reply.entry(policies.found(parent, attributes), true);
        opened(reply, file, attributes, in.get(CreateIn.FLAGS));
    }

    private static int mode(Request in) {
        return Umask.with(in.get(CreateIn.MODE), in.get(CreateIn.UMASK));
    }

    /** Whether these flags open a file for writing. */
    static boolean writes(int openFlags) {
        return (openFlags & (O_ACCMODE | O_TRUNC)) != 0;
    }

    /** Applies the effects of opening to the file; returns its attributes afterwards. */
    private Attributes prepared(OpenFile file, int flags, int openFlags, int thread) throws IOException {
        try {
            if ((openFlags & OPEN_KILL_SET_ID) != 0) {
                dropped(file.ino(), privileges.drop(file.ino(), thread));
            }
            return (flags & O_TRUNC) != 0 ? file.truncate(0) : file.found();
        } catch (IOException | RuntimeException failed) {
            file.close();
            throw failed;
        }
    }

    /** Creates a file without a name (O_TMPFILE); it inherits the group like a file created in that directory. */
    void temporary(Request in, Reply reply, long parent) throws IOException {
        var directory = vfs.attributes(parent);
        var owner = (directory.mode() & 02000) == 0 ? in.owner() : new Owner(in.owner().uid(), directory.gid());
        var file = vfs.createUnnamed(parent, mode(in), owner);
        reply.entry(file.found(), true);
        opened(reply, file, file.found(), in.get(CreateIn.FLAGS));
    }

    /**
     * Appended bytes bypass the kernel's page cache, which would put them where the file seemed to end. A reader has
     * nothing to write out on close; but a process that closes a file also releases its locks on it.
     */
    private void opened(Reply reply, OpenFile file, Attributes attributes, int openFlags) throws IOException {
        file.advise(policies.advice(file.ino()));
        long handle = handles.addFile(file);
        int backing = passthrough == null ? Passthrough.NONE : backing(passthrough, handle, attributes, openFlags);
        int noFlush = (openFlags & O_ACCMODE) == 0 && !locks.isLocked(file.ino()) ? OPEN_NO_FLUSH : 0;
        if (backing == Passthrough.NONE) {
            int flags = isDirect(file.ino(), openFlags) ? OPEN_DIRECT_IO
                    : caches.isCurrent(attributes) ? OPEN_KEEP_CACHE : 0;
            reply.opens(handle, flags | noFlush, attributes);
        } else {
            reply.opens(handle, Passthrough.OPEN | noFlush, backing, attributes);
        }
    }

    /** The file from which the kernel reads this one, if it cannot change while it is open. */
    private int backing(Passthrough kernel, long handle, Attributes attributes, int openFlags) throws IOException {
        try {
            boolean reads = (openFlags & (O_ACCMODE | O_TRUNC)) == 0;
            return kernel.opened(handle, attributes, reads, policies.fixed(attributes.ino()) != null);
        } catch (FsException refused) {
            handles.close(handle);
            throw refused;
        }
    }

    private boolean isDirect(long ino, int openFlags) {
        boolean appends = isAppending(openFlags) && (openFlags & O_ACCMODE) != 0;
        return options.has(MountFlag.DIRECT_IO) || appends || policies.isStrict(ino);
    }

    void flush(Request in, long node) throws IOException {
        try {
            handles.file(in.get(FlushIn.FH)).flush();
        } catch (FsException refused) {
            if (refused.error() == FsError.QUOTA) {
                refusals.add(in.get(FlushIn.FH));
                forget(node);
            }
            throw refused;
        } finally {
            locks.flushed(in, node);
        }
    }

    /**
     * Drops what the kernel caches of the file, which may include refused bytes. Called when no request of the closing
     * program keeps the file locked.
     */
    private void forget(long node) {
        if (!options.has(MountFlag.WRITEBACK_CACHE)) {
            outbox.forgetFile(node);
        }
    }

    /** Waits until bytes that were refused at close are dropped. */
    void settle() {
        refusals.settle();
    }

    /** Records the written version before the file counts as closed. */
    void release(Request in, long node) throws IOException {
        unbacked(in.get(ReleaseIn.FH));
        try (var _ = locks.releasing(in, node)) {
            handles.close(in.get(ReleaseIn.FH), caches::written);
        } catch (FsException refused) {
            if (refused.error() == FsError.QUOTA) {
                forget(node);
            }
            throw refused;
        } finally {
            refusals.remove(in.get(ReleaseIn.FH));
        }
    }

    /** Called before a handle is closed: the kernel no longer reads through it. */
    void unbacked(long handle) {
        if (passthrough != null) {
            passthrough.closed(handle, handles.inode(handle));
        }
    }

    void allocate(Request in) throws IOException {
        var file = changed(in, in.get(FallocateIn.FH));
        long offset = in.get(FallocateIn.OFFSET);
        long length = in.get(FallocateIn.LENGTH);
        boolean keepSize = (in.get(FallocateIn.MODE) & FALLOCATE_KEEP_SIZE) != 0;
        switch (in.get(FallocateIn.MODE) & ~FALLOCATE_KEEP_SIZE) {
            case 0 -> {
                space.requireRoom(file, length);
                file.allocate(offset, length, keepSize);
            }
            case FALLOCATE_PUNCH_HOLE -> file.zero(offset, length, true);
            case FALLOCATE_ZERO_RANGE -> file.zero(offset, length, keepSize);
            default -> throw new FsException(FsError.NOT_SUPPORTED);
        }
    }

    /** The file of this handle, for a change by a request that does not say whether to clear set-id bits. */
    private OpenFile changed(Request in, long handle) throws IOException {
        var file = handles.file(handle);
        dropped(file.ino(), privileges.dropUnlessKept(file.ino(), in.process()));
        return file;
    }

    /** Invalidates the mode before the request is answered: the next execution of the program asks for it. */
    private void dropped(long ino, boolean bits) {
        if (bits) {
            outbox.forgetAttributes(ino);
        }
    }

    /** Not with a writeback cache: the kernel may have unsent dirty pages, so only "all is data" is correct. */
    void seek(Request in, Reply reply) throws IOException {
        if (options.has(MountFlag.WRITEBACK_CACHE)) {
            throw new RequestFailures.UnknownRequest();
        }
        var file = handles.file(in.get(LseekIn.FH));
        reply.add(LseekOut.BYTES).set(LseekOut.OFFSET, switch (in.get(LseekIn.WHENCE)) {
            case SEEK_DATA -> file.seekData(in.get(LseekIn.OFFSET));
            case SEEK_HOLE -> file.seekHole(in.get(LseekIn.OFFSET));
            default -> throw new FsException(FsError.INVALID);
        });
    }

    void copyRange(Request in, Reply reply) throws IOException {
        var source = handles.file(in.get(CopyFileRangeIn.FH_IN));
        var target = changed(in, in.get(CopyFileRangeIn.FH_OUT));
        long length = Math.min(in.get(CopyFileRangeIn.LEN), COPY_MAX);
        long copied = source.copyTo(in.get(CopyFileRangeIn.OFF_IN), target, in.get(CopyFileRangeIn.OFF_OUT), length);
        reply.add(WriteOut.BYTES).set(WriteOut.SIZE, (int) copied);
    }
}
