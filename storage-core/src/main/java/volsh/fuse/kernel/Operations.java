package volsh.fuse.kernel;

import java.io.IOException;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;
import volsh.fs.Attributes;
import volsh.fs.FileKind;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.RenameMode;
import volsh.fs.Umask;
import volsh.fuse.FailedPaths;
import volsh.fuse.Handles;
import volsh.fuse.MountFlag;
import volsh.fuse.MountOptions;
import volsh.fuse.Policies;
import volsh.fuse.Privileges;
import volsh.fuse.RequestFailures;
import volsh.fuse.Space;
import volsh.fuse.kernel.FuseStructs.*;
import volsh.vfs.Vfs;

/** Serves a volume: decodes requests, calls the vfs, encodes the replies. Handles the requests about names itself. */
final class Operations implements RequestHandler {
    static final long FUSE_ROOT = 1;
    /** The kernel looks up a cached name twice before it gives up. */
    private static final int LOOKUPS = 2;
    private static final int RENAME_NOREPLACE = 1;
    private static final int RENAME_EXCHANGE = 2;

    private final Vfs vfs;
    private final MountOptions options;
    private final Handles handles;
    private final PageCaches caches = new PageCaches();
    private final AnnouncedEntries told = new AnnouncedEntries();
    private final RemovedDirectories removed;
    private final FileRequests files;
    private final DirectoryRequests directories;
    private final AttributeRequests attributes;
    private final ExtendedNames extended;
    private final Squash squash;
    private final LockRequests locks;
    private final Outbox outbox;
    private final Policies policies;
    private final StalePaths ways;
    private final FailedPaths failedPaths;
    private final ListingHabits habits = new ListingHabits();
    private final @Nullable LoneCaching lone;    // null if others may write at any time
    private volatile @Nullable Interrupts interrupts;   // null until the mount has started

    Operations(Vfs vfs, MountOptions options, Space.Source space, InstantSource clock, Handles handles, Outbox outbox,
            boolean sharesLocks, @Nullable LoneCaching lone, @Nullable Passthrough passthrough) throws IOException {
        this.vfs = vfs;
        this.lone = lone;
        this.options = options;
        this.handles = handles;
        this.outbox = outbox;
        this.policies = new Policies(vfs, options, outbox::forgetNames);
        var privileges = new Privileges(vfs);
        this.removed = new RemovedDirectories(vfs);
        this.failedPaths = new FailedPaths(vfs);
        this.locks = new LockRequests(vfs, handles, caches, outbox, failedPaths, sharesLocks);
        this.files = new FileRequests(vfs, options, space, handles, caches, locks, policies, privileges, outbox,
                passthrough);
        this.ways = new StalePaths(policies);
        this.directories = new DirectoryRequests(vfs, options, handles, policies, ways, removed, habits, this::seen);
        this.attributes = new AttributeRequests(vfs, options.appearance(), space, clock, privileges);
        this.squash = new Squash(vfs, options);
        this.extended = new ExtendedNames(vfs, options.has(MountFlag.ACCESS_LISTS));
        vfs.coherence().onRestored(caches::sameBytes);
        vfs.coherence().onPassed(new PassedPages(outbox)::drop);
        var _ = vfs.unwritten().onLoss(this::forgetPages);
    }

    /**
     * Invalidates the kernel's pages of a file, which may hold bytes that were dropped. The kernel may block this until
     * requests about the file end.
     */
    private void forgetPages(long ino) {
        caches.forget(ino);
        Thread.ofPlatform().daemon().name("fuse-forget")
                .start(() -> outbox.forgetFile(ino == options.root() ? FUSE_ROOT : ino));
    }

    /** Describes the file of a failed request. */
    @Override
    public String words(Request in, Throwable failed) {
        return failedPaths.of(inode(in.node()), failed);
    }

    @Override
    public Policies policies() {
        return policies;
    }

    @Override
    public AnnouncedEntries told() {
        return told;
    }

    @Override
    public @Nullable LoneCaching lone() {
        return lone;
    }

    void interruptsTo(Interrupts target) {
        interrupts = target;
    }

    /** Answers one request into {@code reply}; false if the kernel expects none. */
    @Override
    public boolean answer(Request in, Reply reply) throws IOException {
        reply.clear();
        long node = inode(in.node());
        policies.look();
        requireMutable(in, node);
        squash.apply(in, node);
        settle(in.opcode());
        switch (in.opcode()) {
            case Opcode.READ -> files.read(in, reply);
            case Opcode.WRITE -> files.write(in, reply);
            case Opcode.LOOKUP -> lookup(in, reply, node);
            case Opcode.GETATTR -> reply.attributes(attributes(node));
            case Opcode.SETATTR -> reply.attributes(attributes.set(in, node));
            case Opcode.FORGET -> {
                forget(node);
                return false;
            }
            case Opcode.BATCH_FORGET -> {
                batchForget(in);
                return false;
            }
            case Opcode.OPEN -> files.open(in, reply, node);
            case Opcode.CREATE -> files.create(in, reply, node);
            case Opcode.TMPFILE -> files.temporary(in, reply, node);
            case Opcode.FLUSH -> files.flush(in, node);
            case Opcode.FSYNC -> handles.file(in.get(FsyncIn.FH)).fsync();
            case Opcode.RELEASE -> files.release(in, node);
            case Opcode.GETLK -> locks.find(in, reply, node);
            case Opcode.SETLK -> locks.set(in, node);
            case Opcode.SETLKW -> {
                return locks.setOrWait(in, node);
            }
            case Opcode.OPENDIR -> directories.open(in, reply, node);
            case Opcode.READDIR -> directories.read(in, reply, node, false);
            case Opcode.READDIRPLUS -> directories.read(in, reply, node, true);
            case Opcode.RELEASEDIR -> handles.close(in.get(ReleaseIn.FH));
            case Opcode.FSYNCDIR -> vfs.syncNames();
            case Opcode.SYNCFS -> vfs.sync();
            case Opcode.READLINK -> reply.bytes(vfs.readSymlink(node));
            case Opcode.SYMLINK -> symlink(in, reply, node);
            case Opcode.MKNOD -> makeNode(in, reply, node);
            case Opcode.MKDIR -> {
                var name = in.name(MkdirIn.BYTES);
                var made = vfs.makeDirectory(node, name, Umask.with(in.get(MkdirIn.MODE), in.get(MkdirIn.UMASK)),
                        in.owner());
                reply.entry(ways.told(in.process(), node, name, policies.found(node, made)), true);
            }
            case Opcode.UNLINK -> vfs.unlink(node, in.name());
            case Opcode.RMDIR -> {
                requireWays(in, node);
                removed.remove(node, in.name());
            }
            case Opcode.LINK -> {
                var linked = vfs.link(inode(in.get(LinkIn.OLDNODEID)), node, in.name(LinkIn.BYTES));
                reply.entry(policies.found(node, linked), true);
            }
            case Opcode.RENAME -> rename(in, node, RenameIn.BYTES, 0);
            case Opcode.RENAME2 -> rename(in, node, Rename2In.BYTES, in.get(Rename2In.FLAGS));
            case Opcode.STATFS -> attributes.statfs(reply, node);
            case Opcode.SETXATTR -> extended.set(in, node);
            case Opcode.GETXATTR -> extended.get(in, reply, node);
            case Opcode.LISTXATTR -> extended.list(in, reply, node);
            case Opcode.REMOVEXATTR -> extended.remove(in, node);
            case Opcode.FALLOCATE -> files.allocate(in);
            case Opcode.LSEEK -> files.seek(in, reply);
            case Opcode.COPY_FILE_RANGE -> files.copyRange(in, reply);
            case Opcode.DESTROY, Opcode.ACCESS -> { }   // what is asked about is checked above
            case Opcode.INTERRUPT -> {
                var told = interrupts;
                if (told != null) {
                    told.add(in.get(InterruptIn.UNIQUE));
                }
                locks.callOff(in.get(InterruptIn.UNIQUE));
                return false;
            }
            default -> throw new RequestFailures.UnknownRequest();
        }
        return true;
    }

    /** The reply was not delivered: closes and releases whatever was opened or lent for it. */
    @Override
    public void undelivered(Reply reply) {
        reply.giveBack();
        if (reply.opened() != 0) {
            files.unbacked(reply.opened());
            try {
                handles.close(reply.opened());
            } catch (IOException failed) {
                // Nothing was written through it.
            }
        }
    }

    /** Called before attributes of files are sent to the kernel. */
    private void settle(int opcode) {
        switch (opcode) {
            case Opcode.LOOKUP, Opcode.GETATTR, Opcode.OPEN, Opcode.READDIRPLUS -> files.settle();
            default -> { }   // sends no attributes
        }
    }

    private Attributes attributes(long node) throws IOException {
        var fixed = policies.fixed(node);
        return fixed != null ? fixed : seen(removed.attributes(node));
    }

    /** @throws FsException NOT_PERMITTED if the request would change a tree with the policy immutable */
    private void requireMutable(Request in, long node) throws FsException {
        boolean refused = switch (in.opcode()) {
            case Opcode.CREATE, Opcode.MKNOD, Opcode.MKDIR, Opcode.SYMLINK, Opcode.LINK, Opcode.UNLINK, Opcode.RMDIR,
                    Opcode.TMPFILE, Opcode.SETATTR, Opcode.SETXATTR, Opcode.REMOVEXATTR -> policies.isImmutable(node);
            case Opcode.OPEN -> FileRequests.writes(in.get(OpenIn.FLAGS)) && policies.isImmutable(node);
            case Opcode.RENAME, Opcode.RENAME2 ->
                    policies.isImmutable(node) || policies.isImmutable(inode(in.get(RenameIn.NEWDIR)));
            default -> false;
        };
        if (refused) {
            throw new FsException(FsError.NOT_PERMITTED);
        }
    }

    /** Called with attributes for the kernel; drops its pages of the file if that was changed elsewhere. */
    private Attributes seen(Attributes found) {
        if (caches.isOutdated(vfs, found)) {
            outbox.forgetFile(found.ino());
        }
        return found;
    }

    private long inode(long node) {
        return node == FUSE_ROOT ? options.root() : node;
    }

    /** Also handles {@code .} and {@code ..}: the kernel uses these names for files that it knows only by handle. */
    private void lookup(Request in, Reply reply, long directory) throws IOException {
        byte[] bytes = in.text();
        boolean dots = bytes.length > 0 && bytes[0] == '.'
                && (bytes.length == 1 || bytes.length == 2 && bytes[1] == '.');
        if (dots) {
            long ino = bytes.length == 1 || directory == options.root() ? directory : vfs.parent(directory);
            reply.entry(policies.found(directory, seen(vfs.attributes(ino))), true);
            return;
        }
        var name = Name.of(bytes);
        var found = ways.come(in.process(), directory, LOOKUPS, come -> vfs.lookup(directory, name, come));
        if (!found.isDirectory()) {
            habits.lookedUp(in.process());
        }
        reply.entry(ways.told(in.process(), directory, name, policies.found(directory, seen(found))), true);
    }

    /** For a request about a name in a directory that the kernel may have cached, so that it was not looked up. */
    private void requireWays(Request in, long directory) throws IOException {
        ways.come(in.process(), directory, 1, come -> {
            vfs.coherence().requireWays(come);
            return true;
        });
    }

    private void batchForget(Request in) {
        int count = in.get(BatchForgetIn.COUNT);
        for (int i = 0; i < count; i++) {
            forget(inode(in.get(ForgetOne.NODEID, BatchForgetIn.BYTES + ForgetOne.BYTES * i)));
        }
    }

    private void forget(long node) {
        caches.forget(node);
        locks.forget(node);
        policies.forget(node);
        if (lone != null) {
            lone.forgotten(node);
        }
        removed.forget(node);
    }

    private void symlink(Request in, Reply reply, long parent) throws IOException {
        byte[] name = in.text();
        byte[] target = in.text(name.length + 1);
        reply.entry(policies.found(parent, vfs.makeSymlink(parent, Name.of(name), target, in.owner())), true);
    }

    private void makeNode(Request in, Reply reply, long parent) throws IOException {
        int mode = in.get(MknodIn.MODE);
        int format = mode >>> 12 & 0xf;
        var kind = format == 0 ? FileKind.REGULAR : FileKind.of(format);
        reply.entry(policies.found(parent, vfs.makeNode(parent, in.name(MknodIn.BYTES), kind,
                Umask.with(mode & 07777, in.get(MknodIn.UMASK)), in.owner(), in.get(MknodIn.RDEV))), true);
    }

    private void rename(Request in, long parent, int names, int flags) throws IOException {
        var mode = switch (flags) {
            case 0 -> RenameMode.REPLACE;
            case RENAME_NOREPLACE -> RenameMode.NO_REPLACE;
            case RENAME_EXCHANGE -> RenameMode.EXCHANGE;
            default -> throw new FsException(FsError.INVALID);
        };
        requireWays(in, parent);
        requireWays(in, inode(in.get(RenameIn.NEWDIR)));
        byte[] name = in.text(names);
        byte[] newName = in.text(names + name.length + 1);
        long target = inode(in.get(RenameIn.NEWDIR));
        vfs.rename(parent, Name.of(name), target, Name.of(newName), mode).ifPresent(removed::add);
        policies.renamed(parent, Name.of(name), target, Name.of(newName), mode == RenameMode.EXCHANGE);
    }
}
