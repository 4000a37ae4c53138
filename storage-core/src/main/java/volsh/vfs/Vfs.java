package volsh.vfs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import java.util.function.LongConsumer;
import volsh.cache.CacheUsage;
import volsh.cache.Epochs;
import volsh.cache.disk.BlockSet;
import volsh.cache.disk.CompletedBlocks;
import volsh.cache.disk.DirectoryUsage;
import volsh.cache.disk.DiskTierRequests;
import volsh.chunk.Chunks;
import volsh.chunk.FileState;
import volsh.chunk.Rewrites;
import volsh.chunk.TierLoad;
import volsh.engine.MetaEngine;
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
import volsh.fs.Unwritten;
import volsh.meta.Consistencies;
import volsh.meta.ExtendedAttributes;
import volsh.meta.Namespace;
import volsh.meta.Way;

/**
 * A volume as a POSIX file system. Inode based: the root is {@link #ROOT}, and {@link Paths} walks text paths. Refusals
 * are {@link FsException}; what fails otherwise is an {@link IOException} that names the block or file.
 *
 * <p>Permissions are not checked here: the kernel does that for mounts, and whoever runs a command owns the volume.
 */
public final class Vfs implements AutoCloseable {
    public static final long ROOT = Namespace.ROOT;

    private static final int SET_ID = 06000;
    /** Open files that are asked for at a time. */
    private static final int REFRESHED_MAX = 10_000;

    private final Namespace names;
    private final Chunks chunks;
    private final Sync sync;
    private final HeldTicks held = new HeldTicks();
    private final List<LongConsumer> listeners = new CopyOnWriteArrayList<>();
    private final List<LongConsumer> lossListeners = new CopyOnWriteArrayList<>();
    private final Merging merging;
    private final Locking locking;
    private final LongAdder openedFiles = new LongAdder();
    private final LongAdder openedBytes = new LongAdder();

    /** Makes what is committed survive power loss. */
    public interface Sync {
        void sync() throws IOException;
    }

    /** Leaves files in as many extents as they come to have. */
    public Vfs(Namespace names, Chunks chunks, Sync sync) {
        this(names, chunks, sync, forgotten -> {});
    }

    /** Has {@code background} merge extents where there are many, one task at a time. */
    public Vfs(Namespace names, Chunks chunks, Sync sync, Executor background) {
        this.names = names;
        this.chunks = chunks;
        this.sync = sync;
        this.merging = new Merging(this::merge, background);
        this.locking = new Locking(names.locks());
        if (writes()) {
            chunks.onCrowded(merging);
        }
    }

    // ---- names

    /** Follows what others change, see {@link Namespace#follow}. */
    public MetaEngine.Following follow(Namespace.Watcher watcher) {
        return names.follow(watcher);
    }

    public Attributes attributes(long ino) throws IOException {
        var pending = chunks.pending(ino);   // first: what is committed meanwhile is then found in the metadata
        return with(pending, names.attributes(ino));
    }

    /** The same as far as it is committed: without what unwritten bytes add. */
    public Attributes metadata(long ino) throws IOException {
        return names.attributes(ino);
    }

    public Attributes lookup(long directory, Name name) throws IOException {
        return lookup(directory, name, List.of());
    }

    /** The same for somebody who came these ways. @throws volsh.meta.WayLostException if one of them is none any more */
    public Attributes lookup(long directory, Name name, List<Way> ways) throws IOException {
        long commits = chunks.commits();
        var known = names.lookup(directory, name, ways);
        var pending = chunks.pending(known.ino());
        return chunks.commits() == commits ? with(pending, known) : attributes(known.ino());
    }

    public long parent(long directory) throws IOException {
        return names.parent(directory);
    }

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

    /** Empty, or the directory that had the new name before and is gone. */
    public Optional<Attributes> rename(long parent, Name name, long newParent, Name newName, RenameMode mode) throws IOException {
        var replaced = names.rename(parent, name, newParent, newName, mode);
        chunks.forgetRemoved();
        return replaced;
    }

    /** Changes mode, owner and times. */
    public Attributes change(long ino, AttributeChange change) throws IOException {
        var state = chunks.acquire(ino);
        try {
            if ((change.mode().orElse(0) & SET_ID) != 0) {
                state.flush();   // bytes written before would clear the bits when they arrive
            }
            var changed = change.mtime().isPresent() ? state.reshape(() -> names.change(ino, change))
                    : names.change(ino, change);
            return with(chunks.pending(ino), changed);
        } finally {
            chunks.release(state);
        }
    }

    /** The number of the layout of what is written to this file, or made in this directory, from now on. */
    public void setLayout(long ino, int layout) throws IOException {
        names.setLayout(ino, layout);
    }

    /**
     * Somebody without the right to keep them writes to the file: its set-id bits go; true if there were any. Where the group may not execute,
     * set-group-id stays if {@code keepsGroup} says so of the group.
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

    public ExtendedAttributes extendedAttributes() {
        return names.extendedAttributes();
    }

    /** @throws FsException NO_DATA if it is not set */
    public byte[] extendedAttribute(long ino, byte[] name) throws IOException {
        return names.extendedAttributes().get(ino, name);
    }

    public List<byte[]> extendedAttributeNames(long ino) throws IOException {
        return names.extendedAttributes().list(ino);
    }

    /** @throws FsException EXISTS or NO_DATA if it may not be replaced or created */
    public void setExtendedAttribute(long ino, byte[] name, byte[] value, boolean mayCreate, boolean mayReplace) throws IOException {
        var mode = !mayReplace ? ExtendedAttributes.Mode.CREATE : !mayCreate ? ExtendedAttributes.Mode.REPLACE : ExtendedAttributes.Mode.ALWAYS;
        names.extendedAttributes().set(ino, name, value, mode);
    }

    /** @throws FsException NO_DATA if it is not set */
    public void removeExtendedAttribute(long ino, byte[] name) throws IOException {
        names.extendedAttributes().remove(ino, name);
    }

    // ---- open files and directories

    /** Opens a regular file. @throws FsException IS_DIRECTORY, or INVALID for what holds no bytes */
    public OpenFile open(long ino) throws IOException {
        return open(() -> regular(ino));
    }

    /** Opens a regular file of which these attributes are known and cannot have changed. */
    public OpenFile open(Attributes known) throws IOException {
        return open(() -> known);
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
        return open(() -> names.makeNode(parent, name, FileKind.REGULAR, mode, owner, 0));
    }

    /** Makes a regular file without a name, for a place in this directory, and opens it. {@link #place} gives it one; else it is gone when closed. */
    public OpenFile createUnnamed(long parent, int mode, Owner owner) throws IOException {
        return open(() -> names.makeUnnamed(parent, mode, owner));
    }

    /**
     * Flushes a file made by {@link #createUnnamed} and gives it its place in one step, replacing what had that name.
     */
    public void place(OpenFile file, long parent, Name name) throws IOException {
        file.flush();
        names.place(file.ino(), parent, name);
    }

    /** Bytes of a block that is full. */
    public int blockSize() {
        return chunks.settings().blockSize();
    }

    /** Is more of a file loaded than is asked for, when it is read from front to back? */
    public boolean readsAhead() {
        return chunks.settings().readaheadBytes() > 0;
    }

    /** Makes whole small files, many at a time. */
    public Import importer() {
        return new Import(names, chunks);
    }

    /** Makes files of pieces that are shared with others where the volume has them already. */
    public Pieces pieces() throws IOException {
        return new Pieces(names.shared(), chunks);
    }

    private interface Opening {
        Attributes find() throws IOException;
    }

    /** Has somebody told of every regular file that is opened, by whoever opens it: until closed. He must be quick. */
    public Watch onOpen(LongConsumer listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    /** Somebody is told of something, until this is closed. */
    public interface Watch extends AutoCloseable {
        @Override
        void close();
    }

    /** How long a part of a file is that is merged at a time. */
    public long mergeSpan() {
        return chunks.settings().crowdSpan();
    }

    /** Merges the extents of the part of a file that begins here, if so many of them touch each other; how many blocks took their place. */
    public int compact(long ino, long start, int most, BooleanSupplier stopped) throws IOException {
        var hold = held.take();
        var state = chunks.acquire(ino);
        try {
            return state.merge(start, most, stopped);
        } finally {
            chunks.release(state);
            held.release(hold);
        }
    }

    /** The file counts as open meanwhile, so that the blocks that are merged stay. */
    private void merge(long ino, long start, BooleanSupplier stopped) throws IOException {
        var hold = held.take();
        var state = chunks.acquire(ino);
        try {
            state.merge(start, stopped);
        } finally {
            chunks.release(state);
            held.release(hold);
        }
    }

    /** Counts as open before it is looked at, so that what is found stays. */
    private OpenFile open(Opening opening) throws IOException {
        var hold = held.take();
        try {
            var found = opening.find();
            var file = new OpenFile(this, chunks.acquire(found.ino()), found, hold);
            held.belongs(hold, file);
            listeners.forEach(listener -> listener.accept(found.ino()));
            openedFiles.increment();
            openedBytes.add(found.size());
            return file;
        } catch (IOException | RuntimeException | Error refused) {
            held.release(hold);
            throw refused;
        }
    }

    /** Has somebody here this file open? */
    public boolean isOpen(long ino) {
        return chunks.isOpen(ino);
    }

    /** The same as {@link OpenFile#versionBehind} of a file that may be open. */
    public long versionBehind(long ino, long known) {
        return chunks.versionBehind(ino, known);
    }

    /** Are there bytes of this file that only this process has? */
    public boolean isDirty(long ino) {
        return chunks.isDirty(ino);
    }

    /** Somebody came these ways. @throws volsh.meta.WayLostException if one of them is none any more */
    public void requireWays(List<Way> ways) throws IOException {
        names.requireWays(ways);
    }

    public OpenDirectory openDirectory(long ino) throws IOException {
        return openDirectory(ino, List.of());
    }

    /** The same for somebody who came these ways. @throws volsh.meta.WayLostException if one of them is none any more */
    public OpenDirectory openDirectory(long ino, List<Way> ways) throws IOException {
        if (!names.attributes(ino, ways).isDirectory()) {
            throw new FsException(FsError.NOT_DIRECTORY);
        }
        return new OpenDirectory(this, ino);
    }

    /** Opens what is known to be a directory. */
    public OpenDirectory openDirectory(Attributes known) {
        return new OpenDirectory(this, known.ino());
    }

    /** At most {@code limit} entries in name order behind {@code after} (null: from the start). */
    public List<DirectoryEntry> list(long directory, Name after, int limit) throws IOException {
        return names.list(directory, after, limit);
    }

    /** So many entries were listed, up to the end. @throws volsh.engine.MetaDamagedException if some were left out because they are damaged, or are missing */
    public void requireWhole(long directory, long listed) throws IOException {
        names.requireWhole(directory, listed);
    }

    /** The attributes of those of the entries that still exist, in their order. */
    public List<Attributes> attributes(List<DirectoryEntry> entries) throws IOException {
        var pending = new HashMap<Long, FileState.Pending>();
        entries.forEach(entry -> pending.put(entry.ino(), chunks.pending(entry.ino())));
        return names.attributes(entries.stream().map(DirectoryEntry::ino).toList()).stream()
                .map(known -> with(pending.get(known.ino()), known))
                .toList();
    }

    /** Where the metadata says the bytes of {@code [from, to)} are; what is not flushed yet is not among them. */
    public Content content(long ino, long from, long to) throws IOException {
        return names.files().content(ino, from, to);
    }

    /** Who has locked which bytes of which file, here and wherever the volume is used. */
    public Locking locking() {
        return locking;
    }

    /** How fresh what mounts show has to be. */
    public Consistencies consistencies() {
        return names.consistencies();
    }

    // ---- durability

    /** Writes every open file out and makes everything survive power loss. */
    public void sync() throws IOException {
        chunks.flushAll();
        sync.sync();
    }

    /** Makes the changes of names so far survive power loss. */
    public void syncNames() throws IOException {
        sync.sync();
    }

    /** Which bytes only this process has, file by file. */
    public List<Unwritten> unwritten() {
        return chunks.unwritten();
    }

    /** Tries once more to write out what could not be written; whether there was something. */
    public boolean retryFailed() {
        return chunks.retryFailed();
    }

    /**
     * After others ended the session: drops the unwritten bytes that conflict with what those may have done since; returns
     * which. Their writers are told when they write again, flush or close.
     */
    public List<Unwritten> dropConflicting() throws IOException {
        var lost = chunks.dropConflicting(locking.hasLost());
        lost.forEach(each -> lossListeners.forEach(listener -> listener.accept(each.ino())));
        return lost;
    }

    /** Calls the listener with every file whose unwritten bytes are dropped, until closed. */
    public Watch onLoss(LongConsumer listener) {
        lossListeners.add(listener);
        return () -> lossListeners.remove(listener);
    }

    /** Drops what only this process has. There is no way back. */
    public void discardUnwritten() {
        chunks.discardUnwritten();
    }

    /** What the cache directories do and hold; empty without any. */
    public List<DirectoryUsage> diskUsage() {
        return chunks.diskUsage();
    }

    /** Others may have deleted files of the cache directories. */
    public void recountDisks() {
        chunks.recountDisks();
    }

    /** Brings frames into the cache directories, with so many bytes of memory. */
    public TierLoad tierLoad(long memory) {
        return chunks.tierLoad(memory);
    }

    /** Bytes of a file could not be brought there, for good. */
    public void notLoaded(IOException failure) {
        chunks.failed(failure);
    }

    /** What people ask of the cache directories. */
    public DiskTierRequests upkeep() {
        return chunks.upkeep();
    }

    /** What the memory for data read lately does. */
    public CacheUsage cacheUsage() {
        return chunks.cacheUsage();
    }

    /** What was stored again to keep files in few extents. */
    public Rewrites rewrites() {
        return chunks.rewrites();
    }

    /** Has the memory let go of these blocks, which may be read again. */
    public void forgetCached(BlockSet blocks) {
        chunks.forgetCached(blocks);
    }

    /** What was fetched of blocks in which small reads had missed before. */
    public CompletedBlocks completed() {
        return chunks.completed();
    }

    /** How often what the store gave was not right, and was got once more. */
    public long rereads() {
        return chunks.rereads();
    }

    /** A path of this inode, for messages; empty if it has none. Slow in large directories. */
    public Optional<String> path(long ino) throws IOException {
        return names.path(ino);
    }

    /** How often regular files were opened or made. */
    public long openedFiles() {
        return openedFiles.sum();
    }

    /** How long they were when they were opened, added up. */
    public long openedBytes() {
        return openedBytes.sum();
    }

    /** What checking and decoding of blocks took, added up over all threads. */
    public long decodeNanos() {
        return chunks.decodeNanos();
    }

    /** Files of at most so many bytes are kept in the metadata. */
    public long inlineMax() {
        return chunks.settings().inlineMax();
    }

    /** Loads a file into the cache in memory, for a reader who comes soon; returns the bytes for which there was no room. */
    public long prefetch(long ino) throws IOException {
        return chunks.prefetch(ino);
    }

    /** How the data of each tier of the cache is read. */
    public List<Epochs> epochs() {
        return chunks.epochs();
    }

    /** May this file system change anything? */
    public boolean writes() {
        return names.session() != 0;
    }

    /**
     * Whatever is opened from now on has seen {@code tick}, a tick no later change can be before. Returns the oldest
     * that something open has seen: what died before it is needed by nobody here.
     */
    public long advance(long tick) {
        held.advance(tick);
        return held.oldest();
    }

    /**
     * The same; and what is open since before {@code oldest}, or was last asked this way before it, needs only what is there now, as soon as no read of it is
     * under way that began earlier. So a file that stays open keeps nobody's deleted blocks but its own. One without a name is kept by a change, which only
     * who writes can make.
     */
    public long refresh(long tick, long oldest) throws IOException {
        held.advance(tick);
        var movable = held.before(oldest, REFRESHED_MAX);
        var inos = movable.stream().map(each -> each.file().ino()).distinct().toList();
        var kept = new HashSet<Long>();   // asked for when the tick was running: whatever is unlinked later is so in this tick or a later one
        var unnamed = new ArrayList<Long>();
        for (var file : names.attributes(inos)) {
            if (file.links() > 0) {
                kept.add(file.ino());
            } else {
                unnamed.add(file.ino());
            }
        }
        if (writes() && !unnamed.isEmpty()) {
            kept.addAll(names.keepUnnamed(unnamed));
        }
        for (var each : movable) {
            if (kept.contains(each.file().ino())) {
                held.move(each.hold(), each.file().state().advance(tick));
            }
        }
        return held.oldest();
    }

    @Override
    public void close() throws IOException {
        locking.close();
        merging.close();
        chunks.close();
    }

    // ---- for open files

    FileTable table() {
        return names.files();
    }

    void syncMetadata() throws IOException {
        sync.sync();
    }

    void closed(OpenFile file, HeldTicks.Hold hold) {
        chunks.release(file.state());
        held.release(hold);
    }

    /** What unwritten bytes add: a longer file, another time. */
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
