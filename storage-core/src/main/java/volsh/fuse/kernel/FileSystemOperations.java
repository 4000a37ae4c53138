package volsh.fuse.kernel;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import volsh.fs.AttributeChange;
import volsh.fs.FileKind;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.RenameMode;
import volsh.fuse.FuseDirectory;
import volsh.fuse.FuseEntry;
import volsh.fuse.FuseFile;
import volsh.fuse.FuseFileSystem;
import volsh.fuse.FuseHandles;
import volsh.fuse.MountOptions;
import volsh.fuse.Policies;
import volsh.fuse.RequestFailures;
import volsh.fuse.kernel.FuseStructs.*;

/** Serves a {@link FuseFileSystem}: decodes requests, calls it and encodes the replies. */
final class FileSystemOperations implements RequestHandler {
    private static final int O_APPEND = 02000;
    private static final int O_ACCMODE = 3;
    private static final int O_TRUNC = 01000;
    private static final int O_EXCL = 0200;
    private static final int OPEN_KEEP_CACHE = 2;
    private static final int OPEN_NO_FLUSH = 1 << 5;
    private static final int WRITE_CACHE = 1;
    private static final int RENAME_NOREPLACE = 1;
    private static final int ENTRIES_PER_PAGE = 512;
    private static final byte[] DOT = {'.'};
    private static final byte[] DOT_DOT = {'.', '.'};

    private final FuseFileSystem files;
    private final FuseHandles handles;
    private final AnnouncedEntries told = new AnnouncedEntries();
    private final KernelVersions pages = new KernelVersions();
    private final AttributeChanges changes;
    private volatile @Nullable Interrupts interrupts;   // null until the mount has started

    FileSystemOperations(FuseFileSystem files, MountOptions options, FuseHandles handles) {
        this.files = files;
        this.handles = handles;
        this.changes = new AttributeChanges(options.appearance());
    }

    @Override
    public String words(Request in, Throwable failed) {
        return files.path(in.node());
    }

    @Override
    public @Nullable Policies policies() {
        return null;
    }

    @Override
    public AnnouncedEntries told() {
        return told;
    }

    void interruptsTo(Interrupts target) {
        interrupts = target;
    }

    @Override
    public boolean answer(Request in, Reply reply) throws IOException {
        reply.clear();
        long node = in.node();
        switch (in.opcode()) {
            case Opcode.READ -> read(in, reply);
            case Opcode.WRITE -> write(in, reply);
            case Opcode.LOOKUP -> lookup(in, reply, node);
            case Opcode.GETATTR -> reply.attributes(files.attributes(node));
            case Opcode.SETATTR -> setAttributes(in, reply, node);
            case Opcode.FORGET -> {
                forget(node, in.get(ForgetIn.NLOOKUP));
                return false;
            }
            case Opcode.BATCH_FORGET -> {
                batchForget(in);
                return false;
            }
            case Opcode.OPEN -> open(in, reply, node);
            case Opcode.CREATE -> create(in, reply, node);
            case Opcode.MKNOD -> makeNode(in, reply, node);
            case Opcode.FLUSH -> handles.file(in.get(FlushIn.FH)).flush(in.process());
            case Opcode.FSYNC -> handles.file(in.get(FsyncIn.FH)).fsync();
            case Opcode.RELEASE, Opcode.RELEASEDIR -> handles.close(in.get(ReleaseIn.FH));
            case Opcode.OPENDIR -> reply.opens(handles.addDirectory(files.openDirectory(node)), 0, null);
            case Opcode.READDIR -> readDirectory(in, reply, node, false);
            case Opcode.READDIRPLUS -> readDirectory(in, reply, node, true);
            case Opcode.FSYNCDIR -> { }   // changes of names are stored before they are answered
            case Opcode.SYNCFS -> files.sync();
            case Opcode.MKDIR -> reply.entry(files.makeDirectory(node, in.name(MkdirIn.BYTES),
                    in.get(MkdirIn.MODE) & ~in.get(MkdirIn.UMASK), in.owner()));
            case Opcode.UNLINK -> files.unlink(node, in.name());
            case Opcode.RMDIR -> files.removeDirectory(node, in.name());
            case Opcode.SYMLINK, Opcode.LINK -> throw new FsException(FsError.NOT_PERMITTED);   // see link(2)
            case Opcode.RENAME -> rename(in, node, RenameIn.BYTES, 0);
            case Opcode.RENAME2 -> rename(in, node, Rename2In.BYTES, in.get(Rename2In.FLAGS));
            case Opcode.STATFS -> AttributeRequests.statfs(reply, files.space());
            case Opcode.DESTROY -> { }
            case Opcode.INTERRUPT -> {
                var target = interrupts;
                if (target != null) {
                    target.add(in.get(InterruptIn.UNIQUE));
                }
                return false;
            }
            default -> throw new RequestFailures.UnknownRequest();
        }
        return true;
    }

    @Override
    public void undelivered(Reply reply) {
        reply.giveBack();
        if (reply.opened() != 0) {
            try {
                handles.close(reply.opened());
            } catch (IOException failed) {
                // Nothing was written through it.
            }
        }
    }

    private void read(Request in, Reply reply) throws IOException {
        int size = Math.min(in.get(ReadIn.SIZE), Request.PAYLOAD_MAX);
        reply.filled(handles.file(in.get(ReadIn.FH)).read(in.get(ReadIn.OFFSET), reply.room(size)));
    }

    private void write(Request in, Reply reply) throws IOException {
        var file = handles.file(in.get(WriteIn.FH));
        var bytes = in.payload(WriteIn.BYTES, in.get(WriteIn.SIZE));
        boolean appends = (in.get(WriteIn.FLAGS) & O_APPEND) != 0
                && (in.get(WriteIn.WRITE_FLAGS) & WRITE_CACHE) == 0;
        int written = appends ? file.append(bytes) : file.write(in.get(WriteIn.OFFSET), bytes);
        reply.add(WriteOut.BYTES).set(WriteOut.SIZE, written);
    }

    private void lookup(Request in, Reply reply, long directory) throws IOException {
        byte[] bytes = in.text();
        boolean dots = bytes.length > 0 && bytes[0] == '.'
                && (bytes.length == 1 || bytes.length == 2 && bytes[1] == '.');
        if (dots) {   // of files that the kernel knows only by handle
            throw new FsException(FsError.STALE);
        }
        var found = files.lookup(directory, Name.of(bytes));
        if (found.attributes() == null) {
            reply.absent(found.valid());
        } else {
            reply.entry(found);
        }
    }

    private void setAttributes(Request in, Reply reply, long node) throws IOException {
        var asked = changes.of(in);
        var size = AttributeChanges.size(in);
        if (!asked.equals(AttributeChange.NONE)) {
            var now = files.attributes(node).attributes();
            asked = now == null ? asked : changes.allowed(now, asked);
        }
        reply.attributes(files.change(node, asked, size));
    }

    private void forget(long node, long references) {
        if (node != FuseFileSystem.ROOT) {
            pages.forget(node);
            files.forget(node, references);
        }
    }

    private void batchForget(Request in) {
        int count = in.get(BatchForgetIn.COUNT);
        for (int i = 0; i < count; i++) {
            int at = BatchForgetIn.BYTES + ForgetOne.BYTES * i;
            forget(in.get(ForgetOne.NODEID, at), in.get(ForgetOne.NLOOKUP, at));
        }
    }

    private void open(Request in, Reply reply, long node) throws IOException {
        int flags = in.get(OpenIn.FLAGS);
        boolean writes = (flags & O_ACCMODE) != 0;
        opened(reply, files.open(node, writes, (flags & O_TRUNC) != 0, in.process()), writes);
    }

    private void create(Request in, Reply reply, long parent) throws IOException {
        var created = files.create(parent, in.name(CreateIn.BYTES), in.get(CreateIn.MODE) & ~in.get(CreateIn.UMASK),
                in.owner(), (in.get(CreateIn.FLAGS) & O_EXCL) != 0, in.process());
        reply.entry(created.entry());
        opened(reply, created.file(), true);
    }

    private void opened(Reply reply, FuseFile file, boolean writes) {
        var found = file.found();
        int flags = (pages.isCurrent(found.ino(), found.version()) ? OPEN_KEEP_CACHE : 0)
                | (writes ? 0 : OPEN_NO_FLUSH);
        reply.opens(handles.addFile(file), flags, found);
    }

    private void makeNode(Request in, Reply reply, long parent) throws IOException {
        int format = in.get(MknodIn.MODE) >>> 12 & 0xf;
        if (format != 0 && format != FileKind.REGULAR.code()) {
            throw new FsException(FsError.NOT_PERMITTED);
        }
        var created = files.create(parent, in.name(MknodIn.BYTES),
                in.get(MknodIn.MODE) & 07777 & ~in.get(MknodIn.UMASK), in.owner(), true, in.process());
        created.file().flush(in.process());
        created.file().close();
        reply.entry(created.entry());
    }

    private void rename(Request in, long parent, int names, int flags) throws IOException {
        if ((flags & ~RENAME_NOREPLACE) != 0) {
            throw new FsException(FsError.INVALID);   // as file systems say that cannot exchange
        }
        byte[] name = in.text(names);
        byte[] newName = in.text(names + name.length + 1);
        files.rename(parent, Name.of(name), in.get(RenameIn.NEWDIR), Name.of(newName),
                flags == 0 ? RenameMode.REPLACE : RenameMode.NO_REPLACE);
    }

    private void readDirectory(Request in, Reply reply, long node, boolean plus) throws IOException {
        var directory = handles.directory(in.get(ReadIn.FH));
        int limit = Math.min(in.get(ReadIn.SIZE), Request.PAYLOAD_MAX);
        long cookie = in.get(ReadIn.OFFSET);
        if (cookie == 0) {
            dot(reply, node, 1, DOT, plus, limit);
        }
        if (cookie <= 1) {
            dot(reply, node == FuseFileSystem.ROOT ? node : files.parent(node), 2, DOT_DOT, plus, limit);
        }
        long at = Math.max(0, cookie - 2);
        long begun = reply.size();
        while (true) {
            var page = page(directory, at, reply.size() > begun);
            for (var entry : page) {
                if (!add(reply, directory, entry, plus, limit)) {
                    return;
                }
                at = entry.cookie();
            }
            if (page.isEmpty()) {
                return;
            }
        }
    }

    /** A failed read ends a reply that already has entries: they are delivered, and the next request fails. */
    private static List<FuseDirectory.Entry> page(FuseDirectory directory, long at, boolean answered)
            throws IOException {
        try {
            return directory.read(at, ENTRIES_PER_PAGE);
        } catch (IOException failed) {
            if (answered) {
                return List.of();
            }
            throw failed;
        }
    }

    private void dot(Reply reply, long ino, long cookie, byte[] name, boolean plus, int limit) {
        if (plus) {
            reply.directoryEntryPlus(ino, cookie, FileKind.DIRECTORY.code(), name, limit);
        } else {
            reply.directoryEntry(ino, cookie, FileKind.DIRECTORY.code(), name, limit);
        }
    }

    private static boolean add(Reply reply, FuseDirectory directory, FuseDirectory.Entry entry, boolean plus, int limit)
            throws IOException {
        long cookie = entry.cookie() + 2;
        byte[] name = entry.name().bytes();
        if (!plus) {
            return reply.directoryEntry(entry.ino(), cookie, entry.kind().code(), name, limit);
        }
        if (!reply.fitsPlus(name, limit)) {
            return false;
        }
        FuseEntry found = directory.enter(entry);
        return found.attributes() == null
                ? reply.directoryEntryPlus(entry.ino(), cookie, entry.kind().code(), name, limit)
                : reply.directoryEntryPlus(found, cookie, name, limit);
    }
}
