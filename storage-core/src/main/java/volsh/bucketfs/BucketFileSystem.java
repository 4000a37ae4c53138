package volsh.bucketfs;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.LongConsumer;
import volsh.bucketfs.DirectoryStream.Position;
import volsh.cache.FrameCache;
import volsh.cache.disk.DiskTier;
import volsh.fs.AttributeChange;
import volsh.fs.Attributes;
import volsh.fs.FileKind;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.fs.RenameMode;
import volsh.fuse.FuseDirectory;
import volsh.fuse.FuseEntry;
import volsh.fuse.FuseFile;
import volsh.fuse.FuseFileSystem;
import volsh.fuse.Space;
import volsh.fuse.Times;
import volsh.object.ObjectQuery;
import volsh.object.ObjectStore;

/** The objects of a bucket as files: one file is one object. See docs/SEMANTICS.md for what programs may rely on. */
public final class BucketFileSystem implements FuseFileSystem, AutoCloseable {
    private static final int FILE_MODE = 0644;
    private static final int DIRECTORY_MODE = 0755;
    private static final int AHEAD_MAX = 16;
    private static final long BOUNDLESS = 1L << 50;
    private static final long NOW_NANOS = 5_000_000_000L;

    private final ObjectStore store;
    private final BucketSettings settings;
    private final NameCache names;
    private final NameLookup lookup;
    private final NodeTable nodes = new NodeTable();
    private final ObjectFrames frames;
    private final FrameCache cache;
    private final DiskTier disk;
    private final ObjectWrites writes;
    private final Renames renames;
    private final WalkAhead walks = new WalkAhead(this);
    private final InstantSource clock;
    private final long began;
    private final Semaphore ahead = new Semaphore(AHEAD_MAX);
    /** Directories that exist because this mount has emptied them; the bucket has no keys of theirs. */
    private final Set<String> emptied = ConcurrentHashMap.newKeySet();
    private volatile LongConsumer outdated = _ -> {};

    public BucketFileSystem(ObjectStore store, BucketSettings settings, FrameCache cache, DiskTier disk,
            UploadLog uploads, InstantSource clock) {
        this.store = store;
        this.settings = settings;
        this.cache = cache;
        this.disk = disk;
        this.clock = clock;
        this.began = now();
        this.names = new NameCache(settings.ttl(), settings.immutable(), System::nanoTime);
        this.lookup = new NameLookup(store, names, settings.keepAttributes());
        this.frames = new ObjectFrames(store, cache, disk);
        this.writes = new ObjectWrites(store, this, nodes, uploads);
        this.renames = new Renames(store, this, nodes);
    }

    // ---- attributes and names

    @Override
    public FuseEntry attributes(long id) throws IOException {
        return entry(current(nodes.require(id)));
    }

    /** The node with what is known of it, asked for if that is too old. @throws FsException NO_ENTRY */
    private BucketNode current(BucketNode node) throws IOException {
        boolean own = node.isRoot() || node.writer != null || node.gone;
        if (own || names.isFresh(node.since) || settings.immutable() && node.state != null) {
            return node;
        }
        var known = lookup.find(node.parentPrefix(), node.name);
        var item = known.item();
        if (item == null && node.directory && emptied.contains(node.prefix())) {
            return node;
        }
        if (item == null || item.isDirectory() != node.directory) {
            nodes.detach(node);
            throw new FsException(FsError.NO_ENTRY);
        }
        if (node.directory) {
            node.since = known.since();
        } else {
            nodes.refreshed(node, item.state(), known.since());
        }
        return node;
    }

    private FuseEntry entry(BucketNode node) {
        boolean fixed = node.isRoot();
        var valid = node.writer != null ? Duration.ZERO
                : names.valid(fixed ? names.now() : node.since, !node.directory);
        return new FuseEntry(attributes(node), valid);
    }

    Attributes attributes(BucketNode node) {
        var writer = node.writer;
        var state = node.state;
        var metadata = node.metadata != null ? node.metadata
                : state == null || state.metadata() == null ? Map.<String, String>of() : state.metadata();
        var kept = settings.keepAttributes() ? MetadataAttributes.of(metadata) : MetadataAttributes.of(Map.of());
        long size = writer != null && writer.hasContent() ? writer.size() : state == null ? 0 : state.size();
        long stored = node.directory || state == null ? began : kept.mtime().orElse(state.mtime());
        long mtime = writer != null && writer.isDirty() ? writer.mtime() : stored;
        return new Attributes(
                node.id, node.directory ? FileKind.DIRECTORY : FileKind.REGULAR,
                kept.mode().orElse(node.directory ? DIRECTORY_MODE : FILE_MODE),
                kept.uid().orElse(settings.owner().uid()), kept.gid().orElse(settings.owner().gid()),
                node.gone ? 0 : 1, size, size, mtime, mtime, mtime, 0, state == null ? node.id : state.version());
    }

    @Override
    public FuseEntry lookup(long directory, Name name) throws IOException {
        var parent = nodes.requireDirectory(directory);
        var text = SegmentName.text(name);
        if (text.isEmpty()) {
            return new FuseEntry(null, settings.ttl());
        }
        var written = nodes.at(parent, text.get());
        if (written != null && written.writer != null && !written.gone) {
            return enter(written);
        }
        var known = lookup.find(parent.prefix(), text.get());
        var item = known.item();
        if (item == null) {
            var parsed = SegmentName.parse(text.get());
            if (parsed.isPresent() && emptied.contains(parent.prefix() + parsed.get().segment() + "/")) {
                return entered(parent, DirectoryItem.directory(parsed.get().beginning()), known.since());
            }
            if (written != null) {
                nodes.detach(written);
            }
            return new FuseEntry(null, names.valid(known.since(), false));
        }
        return entered(parent, item, known.since());
    }

    /** Counts a reference to a node. */
    private FuseEntry enter(BucketNode node) {
        nodes.refer(node);
        return entry(node);
    }

    /** The node of an item, counted. */
    private FuseEntry entered(BucketNode directory, DirectoryItem item, long since) {
        return entry(nodes.enter(directory, item, since));
    }

    /** The same for a listing: without attributes if the kernel should look the name up when it needs them. */
    FuseEntry enter(BucketNode directory, DirectoryItem item, long since) {
        var written = nodes.at(directory, item.name());
        if (written == null || written.writer == null) {
            boolean unknown = settings.keepAttributes()
                    && (item.state() == null || item.state().metadata() == null) && !item.isDirectory();
            if (unknown || nodes.isCrowded()) {
                return new FuseEntry(null, Duration.ZERO);
            }
        }
        return entered(directory, item, since);
    }

    @Override
    public long parent(long directory) throws IOException {
        var parent = nodes.requireDirectory(directory).parent;
        return parent == null ? ROOT : parent.id;
    }

    @Override
    public void forget(long node, long references) {
        nodes.forget(node, references);
    }

    @Override
    public FuseDirectory openDirectory(long id) throws IOException {
        return new BucketDirectory(this, current(nodes.requireDirectory(id)));
    }

    // ---- files

    @Override
    public FuseFile open(long id, boolean writing, boolean truncates, int process) throws IOException {
        var node = nodes.require(id);
        if (node.directory) {
            throw new FsException(FsError.IS_DIRECTORY);
        }
        current(node);
        if (node.gone) {
            throw new FsException(FsError.STALE);   // the kernel looks the name up again
        }
        if (writing) {
            requireWritable();
        }
        nodes.opened(node);
        try {
            if (writing) {
                writes.open(node, truncates, process);
            }
        } catch (IOException | RuntimeException failed) {
            closed(node, writing);
            throw failed;
        }
        return file(node, writing);
    }

    private BucketFile file(BucketNode node, boolean writing) {
        return new BucketFile(this, node, writing, attributes(node),
                new ReadsAhead(frames, ahead, settings.readahead().bytes()));
    }

    @Override
    public Created create(long directory, Name name, int mode, Owner owner, boolean exclusive, int process)
            throws IOException {
        requireWritable();
        var parent = nodes.requireDirectory(directory);
        var text = creatable(parent, name, false);
        var written = nodes.at(parent, text);
        boolean exists = written != null && written.writer != null
                || lookup.find(parent.prefix(), text).item() != null;
        if (exists) {
            if (exclusive) {
                throw new FsException(FsError.EXISTS);
            }
            var entry = lookup(directory, name);
            var attributes = Objects.requireNonNull(entry.attributes());
            return new Created(entry, open(attributes.ino(), true, false, process));
        }
        var node = nodes.make(parent, text, segment(text), false);
        if (settings.keepAttributes()) {
            node.metadata = MetadataAttributes.ofNew(FileKind.REGULAR, mode, owner, now());
        }
        nodes.opened(node);
        writes.create(node, exclusive, process);
        return new Created(enter(node), file(node, true));
    }

    private static String segment(String name) throws FsException {
        var parsed = SegmentName.parse(name);
        return Objects.requireNonNull(parsed.orElseThrow().segment());
    }

    /** The text of a name under which something can be made. */
    String creatable(BucketNode parent, Name name, boolean directory) throws IOException {
        var text = SegmentName.text(name).orElseThrow(
                () -> new FsException(FsError.INVALID, "the name is not UTF-8, as keys of a bucket are"));
        var parsed = SegmentName.parse(text);
        boolean reserved = parsed.isEmpty() || parsed.get().segment() == null
                || parsed.get().segment().isEmpty() && !directory
                || parsed.get().object() && (directory || !lookup.isDirectory(
                        parent.prefix() + parsed.get().segment() + "/"));
        if (reserved) {
            throw new FsException(FsError.INVALID,
                    "names that end with :key, :object or :long-… stand for keys that are no file names");
        }
        if (SegmentName.bytes(parent.prefix() + text) > 1024) {
            throw new FsException(FsError.NAME_TOO_LONG);
        }
        return text;
    }

    void closed(BucketNode node, boolean wrote) throws IOException {
        try {
            if (wrote) {
                writes.closed(node);
            }
        } finally {
            nodes.closed(node);
        }
    }

    @Override
    public FuseEntry change(long id, AttributeChange change, OptionalLong size) throws IOException {
        requireWritable();
        var node = current(nodes.require(id));
        if (size.isPresent()) {
            if (node.directory) {
                throw new FsException(FsError.IS_DIRECTORY);
            }
            writes.change(node, writer -> writer.truncate(size.getAsLong()));
        }
        var now = attributes(node);
        if (settings.keepAttributes()) {
            if (change.mode().isPresent() || change.changesOwner() || change.mtime().isPresent()) {
                writes.keep(node, change);
            }
        } else {
            requireSame(now, change);
            boolean touches = change.mtime().isPresent() && !node.directory
                    && change.mtime().getAsLong() != now.mtime();
            if (touches) {
                writes.change(node, ObjectWriter::touch);
            }
        }
        return entry(node);
    }

    /** What is not kept can only be set to what it is, and the time of a file to now. */
    private void requireSame(Attributes now, AttributeChange change) throws FsException {
        boolean other = change.mode().isPresent() && change.mode().getAsInt() != now.mode()
                || change.uid().isPresent() && change.uid().getAsInt() != now.uid()
                || change.gid().isPresent() && change.gid().getAsInt() != now.gid()
                || change.mtime().isPresent() && change.mtime().getAsLong() != now.mtime()
                && Math.abs(change.mtime().getAsLong() - now()) > NOW_NANOS;
        if (other) {
            throw new FsException(FsError.NOT_PERMITTED, "mounted without --keep-attributes");
        }
    }

    // ---- directories

    @Override
    public FuseEntry makeDirectory(long directory, Name name, int mode, Owner owner) throws IOException {
        requireWritable();
        var parent = nodes.requireDirectory(directory);
        var text = creatable(parent, name, true);
        var other = nodes.at(parent, text);
        var known = lookup.find(parent.prefix(), text);
        if (other != null && other.writer != null || known.item() != null) {
            throw new FsException(FsError.EXISTS);
        }
        var segment = segment(text);
        writes.mark(parent.prefix() + segment + "/", settings.keepAttributes()
                ? MetadataAttributes.ofNew(FileKind.DIRECTORY, mode, owner, now()) : Map.of());
        var item = DirectoryItem.directory(segment);
        names.changed(parent.prefix(), text, item);
        String prefix = parent.prefix() + segment + "/";
        names.listed(prefix, List.of(), known.since(), names.changes(prefix));
        emptied.remove(parent.prefix());
        return entered(parent, item, names.now());
    }

    @Override
    public void unlink(long directory, Name name) throws IOException {
        requireWritable();
        var parent = nodes.requireDirectory(directory);
        var node = child(parent, name);
        if (node.directory) {
            throw new FsException(FsError.IS_DIRECTORY);
        }
        var writer = node.writer;
        if (writer == null) {
            store.delete(List.of(node.key()));
        } else {
            writer.paused(() -> {
                store.delete(List.of(node.key()));   // also if it is not stored: it may have replaced an object
                writer.unlinked();
            });
        }
        removed(parent, node);
    }

    private void removed(BucketNode parent, BucketNode node) {
        names.changed(parent.prefix(), node.name, null);
        nodes.detach(node);
        kept(parent);
    }

    /** A directory stays, although its last key may be gone. */
    void kept(BucketNode directory) {
        if (!directory.isRoot()) {
            emptied.add(directory.prefix());
        }
    }

    @Override
    public void removeDirectory(long directory, Name name) throws IOException {
        requireWritable();
        var parent = nodes.requireDirectory(directory);
        var node = child(parent, name);
        if (!node.directory) {
            throw new FsException(FsError.NOT_DIRECTORY);
        }
        String prefix = node.prefix();
        if (!nodes.unstoredBelow(node).isEmpty() || !isEmpty(prefix)) {
            throw new FsException(FsError.NOT_EMPTY);
        }
        store.delete(List.of(prefix));
        emptied.remove(prefix);
        removed(parent, node);
        names.forget(prefix);
    }

    /** Whether there is no key below it but its own. */
    boolean isEmpty(String prefix) throws IOException {
        var page = store.list(new ObjectQuery(prefix, false, "", 2));
        boolean below = emptied.stream().anyMatch(other -> other.length() > prefix.length()
                && other.startsWith(prefix));
        return !below && page.next().isEmpty() && page.prefixes().isEmpty() && page.objects().stream()
                .allMatch(object -> object.key().equals(prefix) && object.size() == 0);
    }

    /** The node of a name, as it is now. @throws FsException NO_ENTRY */
    BucketNode child(BucketNode parent, Name name) throws IOException {
        var found = lookup(parent.id, name).attributes();
        if (found == null) {
            throw new FsException(FsError.NO_ENTRY);
        }
        var node = nodes.require(found.ino());
        nodes.unrefer(node);
        return node;
    }

    @Override
    public void rename(long directory, Name name, long newDirectory, Name newName, RenameMode mode)
            throws IOException {
        requireWritable();
        renames.rename(nodes.requireDirectory(directory), name, nodes.requireDirectory(newDirectory), newName, mode);
    }

    private void requireWritable() throws FsException {
        if (settings.readOnly()) {
            throw new FsException(FsError.READ_ONLY);
        }
    }

    // ---- the rest

    @Override
    public void sync() throws IOException {
        writes.sync();
    }

    @Override
    public Space space() {
        return new Space(BOUNDLESS, BOUNDLESS, 0);
    }

    @Override
    public String path(long id) {
        try {
            var node = nodes.require(id);
            return store.name() + (node.isRoot() ? "" : "/" + node.key());
        } catch (FsException forgotten) {
            return store.name();
        }
    }

    @Override
    public void pagesOutdated(LongConsumer forget) {
        outdated = forget;
    }

    /** The files that are not stored, and what keeps them from it. */
    public ObjectWrites writes() {
        return writes;
    }

    public Renames renames() {
        return renames;
    }

    public FrameCache cache() {
        return cache;
    }

    public DiskTier disk() {
        return disk;
    }

    @Override
    public void close() throws IOException {
        writes.close();
        disk.close();
        cache.close();
    }

    // ---- for this package

    BucketSettings settings() {
        return settings;
    }

    NodeTable nodes() {
        return nodes;
    }

    NameCache names() {
        return names;
    }

    NameLookup lookup() {
        return lookup;
    }

    ObjectFrames frames() {
        return frames;
    }

    WalkAhead walks() {
        return walks;
    }

    WriteMemory memory() {
        return writes.memory();
    }

    long now() {
        return Times.of(clock.instant());
    }

    DirectoryStream stream(String prefix, Position from) {
        return new DirectoryStream(store, prefix, from);
    }

    long idOf(BucketNode directory, DirectoryItem item) {
        return nodes.idOf(directory, item);
    }

    Set<String> emptied() {
        return emptied;
    }

    /** The entries of a directory that the bucket does not have. */
    Map<String, DirectoryItem> unstored(BucketNode directory) {
        var found = new TreeMap<String, DirectoryItem>();
        for (var node : nodes.unstored(directory)) {
            found.put(node.name, new DirectoryItem(node.name, node.segment, new ObjectState(0, now(), "", null)));
        }
        String prefix = directory.prefix();
        for (var other : emptied) {
            boolean child = other.startsWith(prefix) && other.indexOf('/', prefix.length()) == other.length() - 1;
            if (child) {
                var item = DirectoryItem.directory(other.substring(prefix.length(), other.length() - 1));
                found.put(item.name(), item);
            }
        }
        return found;
    }

    /** The bucket has another state of this file than the kernel and this mount believe. */
    void outdated(BucketNode node) {
        if (node.parent != null) {
            names.forget(node.parentPrefix(), node.name);
        }
        nodes.detach(node);
        // not a virtual thread: the kernel may hold it up until requests in progress end, which need such threads
        Thread.ofPlatform().daemon().name("bucket-outdated").start(() -> outdated.accept(node.id));
    }
}
