package volsh.meta;

import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import volsh.engine.Keys;
import volsh.engine.MetaDamagedException;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.fs.Advice;
import volsh.fs.AccessList;
import volsh.fs.AttributeChange;
import volsh.fs.Attributes;
import volsh.fs.BlockRow;
import volsh.fs.DirectoryEntry;
import volsh.fs.FileKind;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.NewFile;
import volsh.fs.Owner;
import volsh.fs.RenameMode;
import volsh.quota.QuotaKeys;

/**
 * The tree of names and inodes, for one session: POSIX, written once, over any {@link MetaEngine}. Every method is one
 * transaction unless it says otherwise. Permissions are the caller's business (the kernel checks them for mounts).
 */
public final class Namespace {
    /** The root directory. */
    public static final long ROOT = 1;

    /** Files that {@link #createAll} makes in one transaction at most. */
    public static final int CREATED_MAX = 64;

    private static final int INODE_RANGE = 1024;
    private static final int LINKS_MAX = 65_000;
    private static final int TARGET_MAX = 4095;
    /** Inodes one read looks at: a directory's attributes take up to nine rows. */
    private static final int NODES = 100;

    private final Changes changes;
    private final Ids inodes;
    private final Files files;
    private final ExtendedAttributes extended;
    private final SharedBlocks shared;
    private final FileLocks locks;
    private final PathRules<Consistency> consistencies;
    private final PathRules<Advice> advice;
    private final MetaEngine engine;
    private final DirectoryListing listing;

    /** A name space that writes as {@code session}; with 0 every change is refused as read-only. */
    public Namespace(MetaEngine engine, InstantSource clock, long session) {
        this(engine, clock, new CurrentSession(engine, clock, session), new FileLocks(engine, clock, session));
    }

    /** A name space with these locks, which a read-only session may take too. */
    public Namespace(MetaEngine engine, InstantSource clock, CurrentSession session, FileLocks locks) {
        this.engine = engine;
        this.listing = new DirectoryListing(engine);
        this.changes = new Changes(engine, clock, session);
        this.inodes = new Ids(this::takeInodes);
        this.files = new Files(changes);
        this.extended = new ExtendedAttributes(changes);
        this.shared = new SharedBlocks(changes);
        this.locks = locks;
        this.consistencies = PathRules.consistency(engine);
        this.advice = PathRules.advice(engine);
    }

    private Session.Range takeInodes() throws IOException {
        return changes.change(edit -> {
            long first = edit.allocate(Keys.NEXT_INODE, INODE_RANGE);
            return new Session.Range(first, first + INODE_RANGE);
        });
    }

    /** The bytes of regular files. */
    public Files files() {
        return files;
    }

    /** Blocks by content. */
    public SharedBlocks shared() {
        return shared;
    }

    public ExtendedAttributes extendedAttributes() {
        return extended;
    }

    /** The locks of files. */
    public FileLocks locks() {
        return locks;
    }

    /** The consistency policies of directories. */
    public PathRules<Consistency> consistencies() {
        return consistencies;
    }

    /** How files below directories will be read. */
    public PathRules<Advice> advice() {
        return advice;
    }

    public long session() {
        return changes.session().id();
    }

    public Changes changes() {
        return changes;
    }

    public long newInode() throws IOException {
        return inodes.next();
    }

    /** A path of this inode, for messages; empty if it has none. Slow in large directories. */
    public Optional<String> path(long ino) throws IOException {
        return new InodePaths(engine).path(ino);
    }

    /** Is notified some time after names and directories were changed, here or elsewhere. Must not block. */
    public interface Watcher {
        void nameChanged(long directory, Name name);

        /** The attributes of an inode changed, or the entries of a directory. */
        void inodeChanged(long ino);

        /** Anything may have changed. */
        void muchChanged();
    }

    /** Calls this, which must not block, after changes by this process that no program asked a mount for. */
    public void onChangedHere(Runnable listener) {
        changes.onChangedHere(listener);
    }

    /** Follows changes of others, if the engine can, until the result is closed; see {@link MetaEngine#follow}. */
    public MetaEngine.Following follow(Watcher watcher) {
        return engine.follow(new MetaEngine.Follower() {
            @Override
            public void changed(Collection<MetaKey> keys) {
                keys.forEach(key -> tell(watcher, key));
            }

            @Override
            public void lostTrack() {
                watcher.muchChanged();
            }
        });
    }

    private static void tell(Watcher watcher, MetaKey key) {
        try {
            switch (key.bytes()[0]) {
                case 'E' -> watcher.nameChanged(Keys.number(key, 0), Name.of(Keys.name(key)));
                case 'N', 'S' -> watcher.inodeChanged(Keys.number(key, 0));
                default -> { }   // bytes, and rows that are not visible
            }
        } catch (FsException damaged) {
            // not an entry name: no caller knows it
        }
    }

    public Attributes attributes(long ino) throws IOException {
        return changes.look(view -> view.attributes(ino));
    }

    /** @throws FsException NO_ENTRY or NOT_DIRECTORY */
    public Attributes lookup(long directory, Name name) throws IOException {
        return lookup(directory, name, List.of());
    }

    /**
     * Like {@link #lookup}, for a caller that came along these paths, all of which must still exist.
     *
     * @throws WayLostException if one of them is gone
     */
    public Attributes lookup(long directory, Name name, List<Way> ways) throws IOException {
        return changes.look(view -> {
            view.expectNamed(List.of(Keys.entry(directory, name)), View.withWays(ways, Keys.node(directory)));
            view.require(ways);
            var entry = view.find(directory, name);
            if (entry == null) {
                view.directory(directory);
                throw new FsException(FsError.NO_ENTRY);
            }
            var attributes = entry.kind() == FileKind.DIRECTORY ? view.directoryAttributes(entry)
                    : view.attributes(entry.ino(), view.named(entry));
            if (attributes.kind() != entry.kind()) {
                throw MetaDamagedException.of(Keys.entry(directory, name),
                        "refers to a %s but says %s".formatted(attributes.kind(), entry.kind()), null);
            }
            return attributes;
        });
    }

    /** Checks that these paths still exist. @throws WayLostException if one does not */
    public void requireWays(List<Way> ways) throws IOException {
        if (!ways.isEmpty()) {
            changes.look(view -> {
                view.require(ways);
                return null;
            });
        }
    }

    /** The attributes of a directory reached along these paths. @throws WayLostException */
    public Attributes attributes(long ino, List<Way> ways) throws IOException {
        return changes.look(view -> {
            view.require(ways, Keys.node(ino));
            return view.attributes(ino);
        });
    }

    /** The parent of this directory; the root is its own parent. */
    public long parent(long directory) throws IOException {
        return changes.look(view -> view.directory(directory).parent());
    }

    /**
     * At most {@code limit} entries in name order, after {@code after} (null: from the start). Damaged entries are left
     * out, see {@link #requireWhole}.
     */
    public List<DirectoryEntry> list(long directory, @Nullable Name after, int limit) throws IOException {
        return listing.list(directory, after, limit);
    }

    /**
     * Checks that a complete listing of {@code listed} entries missed none.
     * @throws MetaDamagedException if some are damaged or missing
     */
    public void requireWhole(long directory, long listed) throws IOException {
        listing.requireWhole(directory, listed);
    }

    /** The attributes of those inodes that exist, in the order given; long lists take several reads. */
    public List<Attributes> attributes(List<Long> inos) throws IOException {
        var found = new ArrayList<Attributes>(inos.size());
        for (int from = 0; from < inos.size(); from += NODES) {
            var some = inos.subList(from, Math.min(from + NODES, inos.size()));
            found.addAll(changes.look(view -> attributes(view, some)));
        }
        return found;
    }

    private static List<Attributes> attributes(View view, List<Long> inos) throws IOException {
        var rows = view.tx.getAll(inos.stream().map(Keys::node).toList());
        var nodes = new LinkedHashMap<Long, NodeRow>();
        for (long ino : inos) {
            byte[] row = rows.get(Keys.node(ino));
            if (row != null) {
                nodes.put(ino, NodeRow.read(Keys.node(ino), row));
            }
        }
        var counters = view.counters(nodes.entrySet().stream().filter(node -> node.getValue().isDirectory())
                .map(Map.Entry::getKey).toList());
        return nodes.entrySet().stream()
                .map(node -> View.attributes(node.getKey(), node.getValue(),
                        counters.getOrDefault(node.getKey(), DirectoryCounters.NONE)))
                .toList();
    }

    /** The mode of this and of all that make files may carry a {@link volsh.fs.Umask}. */
    public Attributes makeDirectory(long parent, Name name, int mode, Owner owner) throws IOException {
        return make(parent, name, FileKind.DIRECTORY, mode, owner, 0, null);
    }

    /** Makes a regular file, fifo, socket or device. @throws FsException EXISTS */
    public Attributes makeNode(long parent, Name name, FileKind kind, int mode, Owner owner, int device)
            throws IOException {
        return make(parent, name, kind, mode, owner, device, null);
    }

    public Attributes makeSymlink(long parent, Name name, byte[] target, Owner owner) throws IOException {
        if (target.length == 0) {
            throw new FsException(FsError.NO_ENTRY, "the target of a symbolic link cannot be empty");
        }
        if (target.length > TARGET_MAX) {
            throw new FsException(FsError.NAME_TOO_LONG);
        }
        return make(parent, name, FileKind.SYMLINK, 0777, owner, 0, target);
    }

    private Attributes make(long parent, Name name, FileKind kind, int mode, Owner owner, int device,
            byte @Nullable [] target) throws IOException {
        long ino = inodes.next();
        return changes.change(edit -> {
            edit.expect(Keys.node(parent), Keys.entry(parent, name), Keys.TICK, QuotaKeys.COUNTED,
                    ExtendedAttributes.AccessLists.inherited(parent));
            var directory = edit.directory(parent);
            edit.requireFree(parent, name);
            edit.holdDirectory(parent);
            int bits = new ExtendedAttributes.AccessLists(edit).inherit(parent, ino, kind, mode);
            var node = birth(directory, parent, kind, bits, owner, device, target == null ? 0 : target.length,
                    edit.now);
            edit.putNew(Keys.node(ino), node.toBytes());
            edit.put(Keys.entry(parent, name), View.entryRow(ino, kind));
            if (target != null) {
                edit.putNew(Keys.target(ino), target);
            }
            edit.count(parent, 1, kind == FileKind.DIRECTORY ? 1 : 0);
            edit.use(ino, node, node.size(), 1);
            return View.attributes(ino, node, DirectoryCounters.NONE);
        });
    }

    /** Creates whole files in one transaction, replacing existing ones. One result each: empty, or the error. */
    public List<Optional<FsError>> createAll(List<NewFile> made, Optional<BlockRow> block) throws IOException {
        if (made.size() > CREATED_MAX) {
            throw new IllegalArgumentException("at most %d files can be created at once: %d"
                    .formatted(CREATED_MAX, made.size()));
        }
        var inos = new ArrayList<Long>(made.size());
        for (int i = 0; i < made.size(); i++) {
            inos.add(inodes.next());
        }
        return changes.change(edit -> new Creation(edit).run(made, inos, block));
    }

    /**
     * Makes a regular file without a name: it goes away with its last reader unless {@link #place placed}. It inherits
     * the layout and the default access control list of this directory.
     */
    public Attributes makeUnnamed(long parent, int mode, Owner owner) throws IOException {
        long ino = inodes.next();
        return changes.change(edit -> {
            edit.expect(Keys.node(parent), Keys.TICK, ExtendedAttributes.AccessLists.inherited(parent));
            int layout = edit.directory(parent).layout();
            int bits = new ExtendedAttributes.AccessLists(edit).inherit(parent, ino, FileKind.REGULAR, mode) & 07777;
            edit.tx.put(Keys.orphan(edit.tick(), ino), new byte[0]);
            var node = new NodeRow(
                    FileKind.REGULAR, NodeRow.Storage.NONE, bits, owner.uid(), owner.gid(), 0, 0, 0, layout,
                    edit.tick(), 0, 0, edit.now, edit.now, edit.now, 1);
            edit.putNode(ino, node);
            return node.attributes(ino);
        });
    }

    /** Keeps those of these open files that have no name, as if unlinked in this tick, and returns them. */
    public Set<Long> keepUnnamed(List<Long> inos) throws IOException {
        return new OpenOrphans(changes).keep(inos);
    }

    /** Gives a file without a name a name, replacing a file of that name. @throws FsException IS_DIRECTORY */
    public void place(long ino, long parent, Name name) throws IOException {
        changes.change(edit -> {
            edit.expectChange(Keys.node(ino), Keys.node(parent), Keys.entry(parent, name));
            place(edit, ino, parent, name);
            return null;
        });
    }

    static void place(Edit edit, long ino, long parent, Name name) throws IOException {
        var node = edit.node(ino);
        if (node.links() > 0) {
            throw new FsException(FsError.INVALID, "the file already has a name");
        }
        var directory = edit.directory(parent);
        var taken = edit.find(parent, name);
        if (taken != null && taken.kind() == FileKind.DIRECTORY) {
            throw new FsException(FsError.IS_DIRECTORY);
        }
        edit.holdDirectory(parent);
        if (taken != null) {
            new Removal(edit).replace(parent, taken);
        }
        edit.tx.delete(Keys.orphan(node.parent(), ino));
        int gid = (directory.mode() & 02000) != 0 ? directory.gid() : node.gid();
        node = node.withProject(directory.project()).withOwner(node.uid(), gid);
        edit.use(ino, node, node.size(), 1);
        edit.putNode(ino, node.withLinks(1).withParent(parent).withCtime(edit.now));
        edit.put(Keys.entry(parent, name), View.entryRow(ino, FileKind.REGULAR));
        edit.count(parent, taken == null ? 1 : 0, 0);
    }

    /** A new inode: it inherits the group of a set-group-id directory, and directories the bit too. */
    private static NodeRow birth(
            NodeRow directory, long parent, FileKind kind, int mode, Owner owner, int device, long size, long now) {
        boolean inherits = (directory.mode() & 02000) != 0;
        boolean isDirectory = kind == FileKind.DIRECTORY;
        int bits = (mode & 07777) | (inherits && isDirectory ? 02000 : 0);
        return new NodeRow(
                kind, NodeRow.Storage.NONE, bits, owner.uid(), inherits ? directory.gid() : owner.gid(), isDirectory
                        ? 2 : 1, device, directory.project(), directory.layout(), parent, size, 0, now, now, now, 1);
    }

    public byte[] readSymlink(long ino) throws IOException {
        return changes.look(view -> {
            var target = view.content(Keys.target(ino));
            if (target == null) {
                if (view.node(ino).kind() == FileKind.SYMLINK) {
                    throw MetaDamagedException.of(Keys.target(ino), "is missing", null);
                }
                throw new FsException(FsError.INVALID, "not a symbolic link");
            }
            return View.bytes(target);
        });
    }

    /** Gives an existing file another name. */
    public Attributes link(long ino, long parent, Name name) throws IOException {
        return changes.change(edit -> {
            edit.expectChange(Keys.node(ino), Keys.node(parent), Keys.entry(parent, name));
            var node = edit.node(ino);
            if (node.isDirectory()) {
                throw new FsException(FsError.NOT_PERMITTED, "hard links to directories are not allowed");
            }
            if (node.links() >= LINKS_MAX) {
                throw new FsException(FsError.TOO_MANY_LINKS);
            }
            var directory = edit.directory(parent);
            edit.requireFree(parent, name);
            edit.holdDirectory(parent);
            if (node.links() > 0 && node.project() != directory.project()) {
                throw new FsException(FsError.CROSS_DEVICE);
            }
            if (node.links() == 0) {
                edit.tx.delete(Keys.orphan(node.parent(), ino));
                node = node.withProject(directory.project());
                edit.use(ino, node, node.size(), 1);
                node = node.withParent(parent);
            }
            node = node.withLinks(node.links() + 1).withCtime(edit.now);
            edit.putNode(ino, node);
            edit.put(Keys.entry(parent, name), View.entryRow(ino, node.kind()));
            edit.count(parent, 1, 0);
            return node.attributes(ino);
        });
    }

    /** Removes a name of anything but a directory. The bytes of an unlinked file stay until no session reads them. */
    public void unlink(long parent, Name name) throws IOException {
        changes.remove(edit -> {
            edit.expectChangeNamed(List.of(Keys.entry(parent, name)), Keys.node(parent));
            edit.directory(parent);
            var entry = edit.entry(parent, name);
            if (entry.kind() == FileKind.DIRECTORY) {
                throw new FsException(FsError.IS_DIRECTORY);
            }
            edit.holdDirectory(parent);
            new Removal(edit).unlink(parent, entry);
            return null;
        });
    }

    public void removeDirectory(long parent, Name name) throws IOException {
        changes.remove(edit -> {
            edit.expectChangeNamed(List.of(Keys.entry(parent, name)), Keys.node(parent));
            edit.directory(parent);
            var entry = edit.entry(parent, name);
            edit.holdDirectory(parent);
            new Removal(edit).removeDirectory(parent, entry);
            return null;
        });
    }

    /** Renames. Returns the directory that was replaced, if one was. */
    public Optional<Attributes> rename(long parent, Name name, long newParent, Name newName, RenameMode mode)
            throws IOException {
        return changes.change(edit -> {
            edit.expectChangeNamed(List.of(Keys.entry(parent, name), Keys.entry(newParent, newName)), Keys.node(parent),
                    Keys.node(newParent));
            return new Renaming(edit, parent, name, newParent, newName).run(mode);
        });
    }

    /** Changes mode, owner or times. Changing the owner of a file clears its set-id bits unless a mode is given too. */
    public Attributes change(long ino, AttributeChange change) throws IOException {
        return changes.change(edit -> {
            edit.expectChange(Keys.node(ino), Keys.attribute(ino, AccessList.accessName()));
            var node = edit.node(ino);
            if (node.isDirectory()) {
                node = edit.foldCounters(ino, node);
            }
            int mode = change.mode().orElse(node.mode());
            if (change.mode().isPresent()) {
                new ExtendedAttributes.AccessLists(edit).follow(ino, mode);
            }
            if (change.changesOwner() && change.mode().isEmpty() && !node.isDirectory()) {
                mode = withoutSetId(mode);
            }
            node = edit.chown(ino, node, change.uid().orElse(node.uid()), change.gid().orElse(node.gid()))
                    .withMode(mode)
                    .withTimes(change.atime().orElse(node.atime()), change.mtime().orElse(node.mtime()), edit.now);
            edit.putNode(ino, node);
            return edit.attributes(ino, node);
        });
    }

    /** Sets the number of the layout for data written to this file, or files made in this directory, from now on. */
    public void setLayout(long ino, int layout) throws IOException {
        changes.change(edit -> {
            var node = edit.node(ino);
            edit.putNode(ino, node.withLayout(layout).withCtime(edit.now));
            return null;
        });
    }

    /**
     * Clears the set-id bits, if any. Returns true if the mode changed. Where the group may not execute, set-group-id
     * stays if {@code keepsGroup} accepts the group.
     */
    public boolean clearSetId(long ino, IntPredicate keepsGroup) throws IOException {
        return changes.change(edit -> {
            var node = edit.node(ino);
            int mode = withoutSetId(node.mode());
            if (!keepsGroup.test(node.gid())) {
                mode &= ~02000;
            }
            if (mode == node.mode()) {
                return false;
            }
            edit.putNode(ino, node.withMode(mode).withCtime(edit.now));
            return true;
        });
    }

    /** Clears set-user-id always, set-group-id only if the group may execute (else it means mandatory locking). */
    static int withoutSetId(int mode) {
        return mode & ~04000 & ((mode & 010) != 0 ? ~02000 : ~0);
    }
}
