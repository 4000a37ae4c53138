package volsh.bucketfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import volsh.block.RefusedException;
import volsh.fs.AttributeChange;
import volsh.fs.FileKind;
import volsh.fuse.Times;
import volsh.object.NoSuchObjectException;
import volsh.object.ObjectChangedException;
import volsh.object.ObjectHeaders;
import volsh.object.ObjectInfo;
import volsh.object.ObjectStore;
import volsh.object.ObjectUpload;
import volsh.object.PutCondition;

/**
 * The files of a mount that are being written, and how they are stored. What cannot be stored when the last program
 * closes a file stays in memory and is stored later. Thread-safe.
 */
public final class ObjectWrites {
    private static final long MEMORY = 160L << 20;
    private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);

    private final ObjectStore store;
    private final BucketFileSystem files;
    private final NodeTable nodes;
    private final UploadLog uploads;
    private final WriteMemory memory = new WriteMemory(MEMORY);
    private final Map<ObjectWriter, Integer> writers = new ConcurrentHashMap<>();   // and how many have it open
    private final Set<ObjectWriter> left = ConcurrentHashMap.newKeySet();           // closed, but not stored
    private volatile boolean conditions = true;   // whether the server knows them

    ObjectWrites(ObjectStore store, BucketFileSystem files, NodeTable nodes, UploadLog uploads) {
        this.store = store;
        this.files = files;
        this.nodes = nodes;
        this.uploads = uploads;
    }

    WriteMemory memory() {
        return memory;
    }

    // ---- who writes

    /** Opens an existing file for writing. */
    void open(BucketNode node, boolean truncates, int process) throws IOException {
        var writer = acquire(node, process);
        if (truncates) {
            writer.truncate(0);
        }
    }

    private synchronized ObjectWriter acquire(BucketNode node, int process) throws IOException {
        var writer = node.writer;
        if (writer == null) {
            var state = node.state;
            if (state == null) {
                throw new NoSuchObjectException(store.name(), node.key());
            }
            writer = ObjectWriter.ofExisting(files, node, state, process);
            node.writer = writer;
        }
        left.remove(writer);
        writers.merge(writer, 1, Integer::sum);
        return writer;
    }

    synchronized void create(BucketNode node, boolean exclusive, int process) {
        var writer = ObjectWriter.ofNew(files, node, exclusive, process);
        node.writer = writer;
        writers.put(writer, 1);
    }

    /** A program has closed the file: it is stored, at the latest now. */
    void closed(BucketNode node) throws IOException {
        var writer = node.writer;
        if (writer == null) {
            return;
        }
        boolean last;
        synchronized (this) {
            last = writers.merge(writer, -1, (a, b) -> a + b == 0 ? null : a + b) == null;
            if (last && writer.isDirty()) {
                left.add(writer);
            }
        }
        if (last) {
            finish(writer);
            if (writers.isEmpty()) {
                memory.rest();
            }
        }
    }

    /** Stores a file that is closed, and lets go of it. */
    private void finish(ObjectWriter writer) throws IOException {
        writer.store();
        synchronized (this) {
            if (!writers.containsKey(writer) && !writer.isDirty()) {
                left.remove(writer);
                writer.node().writer = null;
                writer.close();
                nodes.clean(writer.node());
            }
        }
    }

    /** Changes a file, whether or not it is open, and stores it if it is not. */
    void change(BucketNode node, Change change) throws IOException {
        nodes.opened(node);
        try {
            var writer = acquire(node, 0);
            try {
                change.run(writer);
            } finally {
                closed(node);
            }
        } finally {
            nodes.closed(node);
        }
    }

    interface Change {
        void run(ObjectWriter writer) throws IOException;
    }

    // ---- how it is stored

    /** Begins an upload that the next mount removes if this process dies. */
    ObjectUpload begin(String key, Map<String, String> metadata) throws IOException {
        var upload = store.upload(key, ObjectHeaders.of(metadata));
        try {
            uploads.begun(upload.id(), key);
        } catch (IOException | RuntimeException failed) {
            upload.close();
            throw failed;
        }
        return upload;
    }

    /** What is known of the metadata of a file. */
    Map<String, String> metadata(BucketNode node) {
        var state = node.state;
        var metadata = node.metadata != null ? node.metadata : state == null ? null : state.metadata();
        return metadata == null ? Map.of() : metadata;
    }

    /** The metadata of an object in this state. @throws ObjectChangedException if it is in another one */
    Map<String, String> metadataOf(String key, ObjectState state) throws IOException {
        var found = ObjectState.of(store.head(key));
        if (!found.sameBytes(state)) {
            throw new ObjectChangedException(store.name(), key, state.etag());
        }
        return Objects.requireNonNull(found.metadata());
    }

    /** With the time of the last change, where attributes are kept. */
    Map<String, String> timed(Map<String, String> metadata, long mtime) {
        return !files.settings().keepAttributes() ? metadata : MetadataAttributes.changed(metadata, FileKind.REGULAR,
                AttributeChange.NONE.withMtime(mtime));
    }

    ObjectInfo put(String key, ByteBuffer bytes, Map<String, String> metadata, PutCondition condition)
            throws IOException {
        return where(key, condition, each -> store.put(key, bytes, ObjectHeaders.of(metadata), each));
    }

    /** Gives an object other metadata. */
    ObjectInfo describe(String key, Map<String, String> metadata) throws IOException {
        store.copy(key, key, ObjectHeaders.of(metadata));
        return store.head(key);
    }

    ObjectInfo complete(String key, ObjectUpload upload, int parts, PutCondition condition) throws IOException {
        return where(key, condition, each -> upload.complete(parts, each));
    }

    /** Aborts an upload, unless it is complete. */
    void end(ObjectUpload upload) {
        Thread.ofVirtual().name("bucket-end").start(() -> {
            try {
                upload.close();
                uploads.ended(upload.id());
            } catch (IOException left) {
                // its line stays: the next mount removes it
            }
        });
    }

    private interface Storing {
        ObjectInfo under(PutCondition condition) throws IOException;
    }

    /** A server that does not know conditions is asked for the state before, which leaves a moment between the two. */
    private ObjectInfo where(String key, PutCondition condition, Storing storing) throws IOException {
        if (conditions || condition instanceof PutCondition.Always) {
            try {
                return storing.under(condition);
            } catch (RefusedException unknown) {
                if (condition instanceof PutCondition.Always
                        || unknown.reason() != RefusedException.Reason.WRONG_SETTINGS) {
                    throw unknown;
                }
                conditions = false;
            }
        }
        var found = files.lookup().head(key, false);
        boolean met = condition instanceof PutCondition.Matches(var etag) ? found != null && found.etag().equals(etag)
                : found == null;
        if (!met) {
            throw new ObjectChangedException(store.name(), key,
                    condition instanceof PutCondition.Matches(var etag) ? etag : "none");
        }
        return storing.under(PutCondition.ALWAYS);
    }

    /** The object has been made: from now on it is what the file's name stands for. */
    ObjectState stored(BucketNode node, ObjectInfo info, Map<String, String> metadata) throws IOException {
        long since = files.names().now();
        var known = info.modified().equals(Instant.EPOCH) ? store.head(node.key()) : info;
        var state = new ObjectState(known.size(), Times.of(known.modified()), known.etag(), metadata);
        node.metadata = null;
        node.state = state;
        node.since = since;
        if (!node.gone) {
            files.names().changed(node.parentPrefix(), node.name,
                    new DirectoryItem(node.name, node.segment, state));
        }
        return state;
    }

    /** Sets attributes that are kept with the object; those of a file that is being written are stored with it. */
    void keep(BucketNode node, AttributeChange change) throws IOException {
        var kind = node.directory ? FileKind.DIRECTORY : FileKind.REGULAR;
        var writer = node.writer;
        var known = node.metadata != null ? node.metadata : node.directory ? Map.<String, String>of() : asked(node);
        var wanted = MetadataAttributes.changed(known, kind, change);
        if (writer != null && writer.isDirty()) {
            node.metadata = wanted;
            change.mtime().ifPresent(writer::setTime);
        } else if (node.directory) {
            if (!node.isRoot()) {
                mark(node.prefix(), wanted);
            }
            node.metadata = wanted;
        } else {
            var state = stored(node, describe(node.key(), wanted), wanted);
            if (writer != null) {
                writer.became(state);
            }
        }
    }

    private Map<String, String> asked(BucketNode node) throws IOException {
        var state = node.state;
        var known = state == null ? null : state.metadata();
        return known != null ? known : state == null ? Map.of() : store.head(node.key()).metadata();
    }

    /** Stores the empty object that stands for a directory. */
    void mark(String prefix, Map<String, String> metadata) throws IOException {
        store.put(prefix, NOTHING, ObjectHeaders.of(metadata), PutCondition.ALWAYS);
    }

    // ---- what is left

    /** A file with bytes that are not stored: its key, how many, since when, and what went wrong. */
    public record Unstored(String key, long bytes, Instant since, @Nullable IOException trouble, boolean isOpen) {}

    public List<Unstored> unstored() {
        return writers().stream().filter(ObjectWriter::isDirty)
                .map(writer -> new Unstored(writer.node().key(), writer.size(),
                Instant.ofEpochMilli(writer.dirtySince()), writer.trouble(), writers.containsKey(writer)))
                .sorted(Comparator.comparing(Unstored::since)).toList();
    }

    /** All of them at one moment: a file that is being closed goes from one set to the other. */
    private synchronized List<ObjectWriter> writers() {
        return Stream.concat(writers.keySet().stream(), left.stream()).distinct().toList();
    }

    /** As {@code fsync} of every file that is open for writing. */
    void sync() throws IOException {
        for (var writer : writers()) {
            writer.fsync();
        }
        storeLeft();
    }

    /** Stores every file that has bytes which are not stored, open or not. */
    public void storeAll() throws IOException {
        for (var writer : writers()) {
            writer.store();
        }
        storeLeft();
    }

    /** Stores files that are closed. */
    public void storeLeft() throws IOException {
        for (var writer : left) {
            finish(writer);
        }
    }

    public boolean isAnyLeft() {
        return !left.isEmpty();
    }

    /** Drops what is not stored. */
    public void discard() {
        for (var writer : writers()) {
            writer.discard();
            left.remove(writer);
        }
    }

    void close() throws IOException {
        uploads.close();
    }
}
