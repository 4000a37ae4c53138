package volsh.vfs;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import volsh.chunk.Chunks;
import volsh.chunk.FileState;
import volsh.fs.AttributeChange;
import volsh.fs.Attributes;
import volsh.fs.Content;
import volsh.fs.DirectoryEntry;
import volsh.fs.FileKind;
import volsh.fs.FileTable;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.fs.RenameMode;
import volsh.meta.ExtendedAttributes;
import volsh.meta.Namespace;
import volsh.meta.Way;

/**
 * A volume as a POSIX file system: one method per verb, on inodes. The root is {@link #ROOT}; {@link Paths} walks text
 * paths. A refusal is an {@link FsException}; any other failure is an {@link IOException} that names the block or file.
 *
 * <p>What is not a verb is in an object of its own: {@link #openFiles}, {@link #unwritten} bytes, {@link #locking},
 * {@link #merging}, {@link #packing}, {@link #coherence}; {@link Import} and {@link Pieces} make files in bulk. The
 * caches are {@link Chunks#caches}.
 *
 * <p>Permissions are not checked here: the kernel checks them for mounts, and a user who runs commands owns the volume.
 */
public final class Vfs implements AutoCloseable {
    public static final long ROOT = Namespace.ROOT;

    private static final int SET_ID = 06000;

    private final Namespace names;
    private final Chunks chunks;
    private final Sync sync;
    private final OpenFiles openFiles;
    private final Merging merging;
    private final Locking locking;
    private final UnwrittenBytes unwritten;
    private final Coherence coherence;
    private final HeldTicks held = new HeldTicks();

    /** Makes what is committed survive power loss. */
    public interface Sync {
        void sync() throws IOException;
    }

    /** Never merges extents. */
    public Vfs(Namespace names, Chunks chunks, Sync sync) {
        this(names, chunks, sync, forgotten -> {});
    }

    /** Merges extents on {@code background}, one task at a time. */
    public Vfs(Namespace names, Chunks chunks, Sync sync, Executor background) {
        this.names = names;
        this.chunks = chunks;
        this.sync = sync;
        this.openFiles = new OpenFiles(this, names, chunks, held);
        this.merging = new Merging(chunks, held, background);
        this.locking = new Locking(names.locks());
        this.unwritten = new UnwrittenBytes(chunks, locking);
        this.coherence = new Coherence(names, chunks);
        if (writes()) {
            chunks.onCrowded(merging);
        }
    }

    // ---- names

    public Attributes attributes(long ino) throws IOException {
        var pending = chunks.pending(ino);   // first: bytes that are committed in between are then in the metadata
        return with(pending, names.attributes(ino));
    }

    /** The committed attributes, without what unwritten bytes add. */
    public Attributes metadata(long ino) throws IOException {
        return names.attributes(ino);
    }

    public Attributes lookup(long directory, Name name) throws IOException {
        return lookup(directory, name, List.of());
    }

    /** The same, if these entries still lead where they led. @throws volsh.meta.WayLostException if one does not */
    public Attributes lookup(long directory, Name name, List<Way> ways) throws IOException {
        long commits = chunks.commits();
        var known = names.lookup(directory, name, ways);
        var pending = chunks.pending(known.ino());
        return chunks.commits() == commits ? with(pending, known) : attributes(known.ino());
    }

    public long parent(long directory) throws IOException {
        return names.parent(directory);
    }

    /** The mode of this and of all that make files may carry a {@link volsh.fs.Umask}. */
    public Attributes makeDirectory(long parent, Name name, int mode, Owner owner) throws IOException {
        return names.makeDirectory(parent, name, mode, owner);
    }

    /** Makes an empty regular file, a fifo, socket or device. */
    public Attributes makeNode(long parent, Name name, FileKind kind, int mode, Owner owner, int device)
            throws IOException {
        return names.makeNode(parent, name, kind, mode, owner, device);
    }

    public Attributes makeSymlink(long parent, Name name, byte[] target, Owner owner) throws IOException {
        return names.makeSymlink(parent, name, target, owner);
    }

    public byte[] readSymlink(long ino) throws IOException {
        return names.readSymlink(ino);
    }

    public Attributes link(long ino, long parent, Name name) throws IOException {
        var pending = chunks.pending(ino);
        return with(pending, names.link(ino, parent, name));
    }

    public void unlink(long parent, Name name) throws IOException {
        names.unlink(parent, name);
        chunks.forgetRemoved();
    }

    public void removeDirectory(long parent, Name name) throws IOException {
        names.removeDirectory(parent, name);
    }

    /** Renames; returns the directory that the new name replaced, if it was one. */
    public Optional<Attributes> rename(long parent, Name name, long newParent, Name newName, RenameMode mode)
            throws IOException {
        var replaced = names.rename(parent, name, newParent, newName, mode);
        chunks.forgetRemoved();
        return replaced;
    }

    /** Changes mode, owner and times. */
    public Attributes change(long ino, AttributeChange change) throws IOException {
        var state = chunks.acquire(ino);
        try {
            if ((change.mode().orElse(0) & SET_ID) != 0) {
                state.flush();   // a later flush of older bytes would clear the bits
            }
            var changed = change.mtime().isPresent() ? state.reshape(() -> names.change(ino, change))
                    : names.change(ino, change);
            return with(chunks.pending(ino), changed);
        } finally {
            chunks.release(state);
        }
    }

    /**
     * Sets the layout, by its number, of blocks written to this file, or of files made in this directory, from now on.
     */
    public void setLayout(long ino, int layout) throws IOException {
        names.setLayout(ino, layout);
    }

    /**
     * Clears the set-id bits of a file, as a write by a process without the right to keep them does; true if there were
     * any. Where the group may not execute, set-group-id stays if {@code keepsGroup} accepts the group.
     */
    public boolean clearSetId(long ino, IntPredicate keepsGroup) throws IOException {
        return names.clearSetId(ino, keepsGroup);
    }

    public Attributes truncate(long ino, long size) throws IOException {
        var state = chunks.acquire(ino);
        try {
            return with(chunks.pending(ino), state.truncate(size));
        } finally {
            chunks.release(state);
        }
    }

    /** @throws FsException NO_DATA if it is not set */
    public byte[] extendedAttribute(long ino, byte[] name) throws IOException {
        return names.extendedAttributes().get(ino, name);
    }

    public List<byte[]> extendedAttributeNames(long ino) throws IOException {
        return names.extendedAttributes().list(ino);
    }

    /** @throws FsException EXISTS or NO_DATA if it may not be replaced or created */
    public void setExtendedAttribute(long ino, byte[] name, byte[] value, boolean mayCreate, boolean mayReplace)
            throws IOException {
        var mode = !mayReplace ? ExtendedAttributes.Mode.CREATE : !mayCreate ? ExtendedAttributes.Mode.REPLACE
                : ExtendedAttributes.Mode.ALWAYS;
        names.extendedAttributes().set(ino, name, value, mode);
    }

    /** @throws FsException NO_DATA if it is not set */
    public void removeExtendedAttribute(long ino, byte[] name) throws IOException {
        names.extendedAttributes().remove(ino, name);
    }

    // ---- open files and directories

    /** Opens a regular file. @throws FsException IS_DIRECTORY, or INVALID for devices, fifos, sockets and links */
    public OpenFile open(long ino) throws IOException {
        return openFiles.open(() -> regular(ino));
    }

    /** Opens a regular file of which these attributes are known and cannot have changed. */
    public OpenFile open(Attributes known) throws IOException {
        return openFiles.open(() -> known);
    }

    private Attributes regular(long ino) throws IOException {
        var attributes = attributes(ino);
        if (attributes.isDirectory()) {
            throw new FsException(FsError.IS_DIRECTORY);
        }
        if (!attributes.isRegular()) {
            throw new FsException(FsError.INVALID, "not a regular file");
        }
        return attributes;
    }

    /** Makes a regular file and opens it. @throws FsException EXISTS */
    public OpenFile create(long parent, Name name, int mode, Owner owner) throws IOException {
        return openFiles.open(() -> names.makeNode(parent, name, FileKind.REGULAR, mode, owner, 0));
    }

    /**
     * Makes a regular file without a name, in this directory, and opens it. {@link #place} gives it a name; else it is
     * removed when closed.
     */
    public OpenFile createUnnamed(long parent, int mode, Owner owner) throws IOException {
        return openFiles.open(() -> names.makeUnnamed(parent, mode, owner));
    }

    /**
     * Flushes a file made by {@link #createUnnamed} and gives it a name in one step, replacing the file of that name.
     */
    public void place(OpenFile file, long parent, Name name) throws IOException {
        file.flush();
        names.place(file.ino(), parent, name);
    }

    /** Whether sequential reads load data ahead. */
    public boolean readsAhead() {
        return chunks.settings().readaheadBytes() > 0;
    }

    /** A listener is called until this is closed. */
    public interface Watch extends AutoCloseable {
        @Override
        void close();
    }

    /** The files that this process has open. */
    public OpenFiles openFiles() {
        return openFiles;
    }

    /** Merges small extents in the background and on request. */
    public Merging merging() {
        return merging;
    }

    /** Stores small files together. */
    public SmallFilePacking packing() {
        return new SmallFilePacking(names, chunks, held, coherence);
    }

    /** What a mount needs to keep the kernel's caches right. */
    public Coherence coherence() {
        return coherence;
    }

    public OpenDirectory openDirectory(long ino) throws IOException {
        return openDirectory(ino, List.of());
    }

    /** The same, if these entries still lead where they led. @throws volsh.meta.WayLostException if one does not */
    public OpenDirectory openDirectory(long ino, List<Way> ways) throws IOException {
        if (!names.attributes(ino, ways).isDirectory()) {
            throw new FsException(FsError.NOT_DIRECTORY);
        }
        return new OpenDirectory(this, ino);
    }

    /** Opens a directory of which these attributes are known. */
    public OpenDirectory openDirectory(Attributes known) {
        return new OpenDirectory(this, known.ino());
    }

    /** At most {@code limit} entries in name order behind {@code after} (null: from the start). */
    public List<DirectoryEntry> list(long directory, @Nullable Name after, int limit) throws IOException {
        return names.list(directory, after, limit);
    }

    /**
     * Checks that a listing of {@code listed} entries is complete.
     *
     * @throws volsh.engine.MetaDamagedException if entries are damaged or missing
     */
    public void requireWhole(long directory, long listed) throws IOException {
        names.requireWhole(directory, listed);
    }

    /** The attributes of the entries that still exist, in their order. */
    public List<Attributes> attributes(List<DirectoryEntry> entries) throws IOException {
        var pending = new HashMap<Long, FileState.Pending>();
        entries.forEach(entry -> pending.put(entry.ino(), chunks.pending(entry.ino())));
        return names.attributes(entries.stream().map(DirectoryEntry::ino).toList()).stream()
                .map(known -> with(pending.getOrDefault(known.ino(), FileState.Pending.NOTHING), known))
                .toList();
    }

    /** The extents of {@code [from, to)} in the metadata, without unwritten bytes. */
    public Content content(long ino, long from, long to) throws IOException {
        return names.files().content(ino, from, to);
    }

    /** The locks of files, of this process and of all others that use the volume. */
    public Locking locking() {
        return locking;
    }

    // ---- durability

    /** Flushes every open file and makes everything survive power loss. */
    public void sync() throws IOException {
        chunks.flushAll();
        sync.sync();
    }

    /** The bytes that only this process has. */
    public UnwrittenBytes unwritten() {
        return unwritten;
    }

    /** Makes the changes of names so far survive power loss. */
    public void syncNames() throws IOException {
        sync.sync();
    }

    /** The size up to which files are kept in the metadata. */
    public long inlineMax() {
        return chunks.settings().inlineMax();
    }

    /** Whether this file system may be changed through this object. */
    public boolean writes() {
        return names.session() != 0;
    }

    @Override
    public void close() throws IOException {
        locking.close();
        merging.close();
        chunks.close();
    }

    // ---- for this package

    Namespace names() {
        return names;
    }

    Chunks chunks() {
        return chunks;
    }

    FileTable table() {
        return names.files();
    }

    void syncMetadata() throws IOException {
        sync.sync();
    }

    /** The attributes with what unwritten bytes add: a larger size, a later time. */
    private Attributes with(FileState.Pending pending, Attributes known) {
        chunks.saw(known);
        if (pending.end() <= known.size() && pending.mtime() == 0) {
            return known;
        }
        return new Attributes(
                known.ino(), known.kind(), known.mode(), known.uid(), known.gid(), known.links(),
                Math.max(known.size(), pending.end()), known.allocated(), known.atime(),
                pending.mtime() == 0 ? known.mtime() : pending.mtime(), Math.max(known.ctime(), pending.mtime()),
                known.device(),
                known.version());
    }
}
