package volsh.bucketfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import volsh.bucketfs.ObjectFrames.Content;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.object.ObjectChangedException;
import volsh.object.ObjectInfo;
import volsh.object.ObjectUpload;
import volsh.object.PutCondition;
import volsh.unit.ByteSize;

/**
 * The bytes of a file that is open for writing. They are kept in memory up to a limit, and may be written in any order
 * there. What is more is sent as parts of an upload; the first part and the last ones stay, so that the head of a file
 * can be written at the end. The object appears as a whole when the file is stored, and not before. Thread-safe.
 */
final class ObjectWriter {
    private static final int IN_FLIGHT_MAX = 4;
    private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);

    private final BucketFileSystem files;
    private final BucketNode node;
    private final PartSizes sizes;
    private final TreeMap<Integer, PartBuffer> held = new TreeMap<>();
    private final BitSet begun = new BitSet();   // parts that are sent or being sent
    private @Nullable ObjectUpload upload;       // null unless one has begun
    private int inFlight;
    private @Nullable IOException failure;       // of a part, to be told once
    private PutCondition condition;
    private boolean storing;
    private boolean refused;                     // another state of the object was there when it was stored
    private boolean loaded;                      // the bytes are here or in the upload, not in the object
    private final int opener;                    // the process whose close stores the file; 0 for any
    private volatile boolean hasContent;
    private volatile boolean dirty;
    private volatile boolean discarded;
    private volatile long size;
    private volatile long mtime;
    private volatile @Nullable IOException trouble;   // why it could not be stored
    private volatile long dirtySince;
    private boolean timeIsSet;                   // rather than being that of the last change
    private Map<String, String> sent = Map.of(); // the metadata with which the upload began

    /** Of a new file; {@code exclusive} if the object may not exist yet. */
    static ObjectWriter ofNew(BucketFileSystem files, BucketNode node, boolean exclusive, int process) {
        var writer = new ObjectWriter(files, node, process);
        writer.condition = exclusive ? PutCondition.ABSENT : PutCondition.ALWAYS;
        writer.changed();
        writer.loaded = true;
        writer.hasContent = true;
        return writer;
    }

    /** Of a file that exists, with the bytes that it has. */
    static ObjectWriter ofExisting(BucketFileSystem files, BucketNode node, ObjectState state, int process) {
        var writer = new ObjectWriter(files, node, process);
        writer.size = state.size();
        return writer;
    }

    private ObjectWriter(BucketFileSystem files, BucketNode node, int process) {
        this.files = files;
        this.node = node;
        this.sizes = new PartSizes(files.settings().part().bytes());
        this.condition = PutCondition.ALWAYS;
        this.opener = Processes.of(process);
    }

    // ---- what it has

    /** Whether the bytes are here rather than in the object. */
    boolean hasContent() {
        return hasContent;
    }

    boolean isDirty() {
        return dirty && !discarded;
    }

    /** Whether its bytes were given up. */
    boolean isDiscarded() {
        return discarded;
    }

    boolean isUploading() {
        return upload != null;
    }

    long size() {
        return size;
    }

    /** The time of the last change; 0 if there was none. */
    long mtime() {
        return mtime;
    }

    BucketNode node() {
        return node;
    }

    @Nullable IOException trouble() {
        return trouble;
    }

    long dirtySince() {
        return dirtySince;
    }

    synchronized int read(long offset, ByteBuffer target) throws IOException {
        int count = Math.clamp(size - offset, 0, target.remaining());
        for (int done = 0; done < count;) {
            long at = offset + done;
            int number = sizes.of(at);
            long start = sizes.start(number);
            var part = held.get(number);
            if (part == null) {
                throw Failures.notSupported(
                        "%s is being written: these bytes are sent and can be read once it is closed"
                        .formatted(node.key()));
            }
            int length = (int) Math.min(count - done, start + sizes.size(number) - at);
            var bytes = part.bytes();
            int there = Math.clamp(bytes.limit() - (at - start), 0, length);
            if (there > 0) {
                target.put(bytes.slice((int) (at - start), there));
            }
            for (int i = there; i < length; i++) {
                target.put((byte) 0);
            }
            done += length;
        }
        return count;
    }

    // ---- writing

    int write(long offset, ByteBuffer source) throws IOException {
        files.memory().await(node.key());
        synchronized (this) {
            return put(offset, source);
        }
    }

    int append(ByteBuffer source) throws IOException {
        files.memory().await(node.key());
        synchronized (this) {
            load();
            return put(size, source);
        }
    }

    private int put(long offset, ByteBuffer source) throws IOException {
        begin();
        load();
        int count = source.remaining();
        requireWritable(offset, offset + count);
        extendTo(offset);
        while (source.hasRemaining()) {
            long at = offset + count - source.remaining();
            int number = sizes.of(at);
            int length = (int) Math.min(source.remaining(), sizes.start(number) + sizes.size(number) - at);
            part(number).write(at - sizes.start(number), source.slice(source.position(), length));
            source.position(source.position() + length);
            size = Math.max(size, at + length);
        }
        changed();
        spill();   // only now: no part that this write is about to change may be on its way
        return count;
    }

    /** The object has got another name or other metadata by this mount; its state may have another ETag. */
    synchronized void became(@Nullable ObjectState state) {
        condition = switch (condition) {
            case PutCondition.Matches _ when state != null -> expecting(state);
            case PutCondition.Absent _ -> PutCondition.ALWAYS;
            default -> condition;
        };
    }

    private static PutCondition expecting(ObjectState state) {
        return state.etag().isEmpty() ? PutCondition.ALWAYS : new PutCondition.Matches(state.etag());
    }

    /** Waits until the file is not being stored; throws what went wrong with a part. */
    private void begin() throws IOException {
        awaitStored();
        if (refused) {
            throw new FsException(FsError.STALE, "%s changed in the bucket while it was written".formatted(node.key()));
        }
        if (discarded && !hasContent) {
            throw new FsException(FsError.STALE, "%s was removed or replaced while it was open".formatted(node.key()));
        }
        tellFailure();
    }

    private void awaitStored() throws IOException {
        try {
            while (storing) {
                wait();
            }
        } catch (InterruptedException stop) {
            throw Failures.interrupted();
        }
    }

    private PartBuffer part(int number) {
        return held.computeIfAbsent(number, _ -> new PartBuffer(sizes.size(number), number > 1, files.memory()));
    }

    private void changed() {
        if (!dirty) {
            dirtySince = System.currentTimeMillis();
        }
        dirty = !discarded;
        mtime = files.now();
        timeIsSet = false;
    }

    /** Gives the file that is to be stored another time than that of its last change. */
    synchronized void setTime(long nanos) {
        mtime = nanos;
        timeIsSet = true;
    }

    /** @throws FsException FILE_TOO_BIG or NOT_SUPPORTED; nothing is changed */
    private void requireWritable(long from, long to) throws FsException {
        if (from < 0 || sizes.of(Math.max(0, to - 1)) > ObjectUpload.PARTS_MAX) {
            throw new FsException(FsError.FILE_TOO_BIG);
        }
        for (int number = sizes.of(Math.min(from, size)); number <= sizes.of(Math.max(0, to - 1)); number++) {
            if (begun.get(number)) {
                throw Failures.notSupported(("%s: the bytes at %d are sent already: only the first %s and the last %s "
                        + "of a file that is being written can be changed").formatted(node.key(), from,
                        new ByteSize(sizes.first()), files.settings().buffer()));
            }
        }
        if (discarded && to > files.settings().buffer().bytes()) {
            throw Failures.notSupported("%s was removed: no more than %s of it are kept in memory".formatted(node.key(),
                    files.settings().buffer()));
        }
        if (from - size > files.settings().buffer().bytes()) {
            throw Failures.notSupported(
                    "%s: a hole of %s: objects have none, and at most %s of zeros are written"
                    .formatted(node.key(), new ByteSize(from - size), files.settings().buffer()));
        }
    }

    /** Writes zeros up to there. */
    private void extendTo(long end) throws IOException {
        while (size < end) {
            int number = sizes.of(size);
            long start = sizes.start(number);
            long to = Math.min(end, start + sizes.size(number));
            part(number).extend(to - start);
            size = to;
            spill();
        }
    }

    synchronized void truncate(long length) throws IOException {
        begin();
        if (length == 0) {
            drop();
            if (!files.settings().keepAttributes()) {
                node.metadata = Map.of();   // it becomes another object
            }
            loaded = true;
            hasContent = true;
            size = 0;
            if (!(condition instanceof PutCondition.Absent)) {
                condition = PutCondition.ALWAYS;
            }
        } else {
            load();
            requireWritable(Math.min(length, size), Math.max(length, size));
            if (length > size && length - size > files.settings().buffer().bytes()) {
                requireWritable(length, length);   // says why not
            }
            extendTo(length);
            cut(length);
        }
        changed();
    }

    private void cut(long length) {
        int last = length == 0 ? 0 : sizes.of(length - 1);
        var beyond = held.tailMap(last, false);
        beyond.values().forEach(PartBuffer::close);
        beyond.clear();
        if (held.containsKey(last)) {
            held.get(last).truncate(length - sizes.start(last));
        }
        size = length;
    }

    /** Sets the time of the last change; the file is stored again. */
    synchronized void touch() throws IOException {
        begin();
        load();
        changed();
    }

    /** Reads the bytes of the object that is going to be changed. */
    private void load() throws IOException {
        if (loaded) {
            return;
        }
        var state = node.state;
        if (state == null) {
            throw new FsException(FsError.STALE);
        }
        long most = files.settings().buffer().bytes();
        if (state.size() > most) {
            throw Failures.notSupported("%s has %s: a file of more than %s can be replaced, but not changed".formatted(
                    node.key(), new ByteSize(state.size()), new ByteSize(most)));
        }
        var content = Content.of(node.key(), state);
        try {
            for (long at = 0; at < state.size();) {
                int number = sizes.of(at);
                int length = (int) Math.min(state.size() - at, sizes.start(number) + sizes.size(number) - at);
                part(number).extend(length);
                files.frames().read(content, at, part(number).bytes());
                at += length;
            }
        } catch (IOException failed) {
            drop();
            if (failed instanceof ObjectChangedException) {
                files.outdated(node);
                throw new FsException(FsError.STALE, failed.getMessage());
            }
            throw failed;
        }
        condition = expecting(state);
        if (state.metadata() == null && node.metadata == null) {
            node.metadata = files.writes().metadataOf(node.key(), state);
        }
        size = state.size();
        loaded = true;
        hasContent = true;
    }

    // ---- sending

    /** Sends parts until what is kept is within its limit. */
    private void spill() throws IOException {
        long most = files.memory().isTight() ? sizes.first() : files.settings().buffer().bytes();
        while (kept() > most) {
            int candidate = candidate();
            if (candidate == 0) {
                return;
            }
            send(candidate);
        }
        await(IN_FLIGHT_MAX - 1);
    }

    private long kept() {
        long sum = 0;
        for (var each : held.entrySet()) {
            sum += begun.get(each.getKey()) ? 0 : each.getValue().length();
        }
        return sum;
    }

    /** The first full part that is not the last, nor the first of all while there is memory; 0 if there is none. */
    private int candidate() {
        for (var each : held.entrySet()) {
            int number = each.getKey();
            boolean stays = number == 1 && !files.memory().isUsedUp();
            if (!stays && !begun.get(number) && number < held.lastKey()
                    && each.getValue().length() == sizes.size(number)) {
                return number;
            }
        }
        return 0;
    }

    private void send(int number) throws IOException {
        var to = upload;
        if (to == null) {
            sent = metadata();
            to = files.writes().begin(node.key(), sent);
            upload = to;
        }
        var target = to;
        var bytes = part(number).bytes();
        begun.set(number);
        inFlight++;
        files.memory().sending();
        Thread.ofVirtual().name("bucket-upload").start(() -> send(target, number, bytes));
    }

    private void send(ObjectUpload to, int number, ByteBuffer bytes) {
        IOException failed = null;
        try {
            to.part(number, bytes);
        } catch (IOException broken) {
            failed = broken;
        } catch (RuntimeException | Error bug) {
            failed = new IOException(bug);
        } finally {
            files.memory().sent();
        }
        synchronized (this) {
            inFlight--;
            if (to == upload && failed == null) {
                var part = held.remove(number);
                if (part != null) {
                    part.close();
                }
            } else if (to == upload) {
                begun.clear(number);
                failure = failed;
            }
            notifyAll();
        }
    }

    /** Waits until at most this many parts are under way. */
    private void await(int most) throws IOException {
        try {
            while (inFlight > most) {
                wait();
            }
        } catch (InterruptedException stop) {
            throw Failures.interrupted();
        }
    }

    private void tellFailure() throws IOException {
        var told = failure;
        if (told != null) {
            failure = null;
            throw told;
        }
    }

    // ---- storing

    /** A program closes a descriptor: the file is stored if that is the program which opened it. */
    void flush(int process) throws IOException {
        if (!isDirty()) {
            return;
        }
        int caller = Processes.of(process);
        if (opener != 0 && caller != 0 && caller != opener) {
            return;   // a child that got the descriptor: the file may be written further, and the last close stores it
        }
        if (size == 0 && Processes.hasOpen(caller, node.path(), node.id)) {
            return;   // as a shell does for 'command > file' before the command runs
        }
        store();
    }

    /** What is sent is safe; a file that is all in memory is stored. */
    synchronized void fsync() throws IOException {
        if (!isDirty()) {
            return;
        }
        if (upload == null) {
            store();
            return;
        }
        await(0);
        tellFailure();
    }

    /** Makes the object; until then its old state, or none, is in the bucket. */
    synchronized void store() throws IOException {
        if (!isDirty()) {
            return;
        }
        begin();
        if (!isDirty()) {
            return;
        }
        storing = true;
        try {
            String key = node.key();
            boolean whole = upload == null && held.size() <= 1;
            var first = held.get(1);
            var metadata = whole ? files.writes().timed(metadata(), mtime) : metadata();
            var info = whole ? files.writes().put(key, first == null ? NOTHING : first.bytes(), metadata, condition)
                    : complete(metadata);
            dirty = false;
            trouble = null;
            var state = files.writes().stored(node, info, metadata);
            condition = expecting(state);
            if (!whole) {
                drop();
                loaded = false;
                hasContent = false;
            }
        } catch (ObjectChangedException other) {
            boolean exists = condition instanceof PutCondition.Absent;
            refused = true;
            discard();
            files.outdated(node);
            throw new FsException(exists ? FsError.EXISTS : FsError.STALE, other.getMessage());
        } catch (IOException failed) {
            trouble = failed;
            throw failed;
        } finally {
            storing = false;
            notifyAll();
        }
    }

    /** The metadata of the object; with a time only if it was set. */
    private Map<String, String> metadata() {
        var metadata = files.writes().metadata(node);
        return timeIsSet ? files.writes().timed(metadata, mtime) : MetadataAttributes.untimed(metadata);
    }

    private ObjectInfo complete(Map<String, String> metadata) throws IOException {
        for (int number : held.keySet().toArray(Integer[]::new)) {
            if (!begun.get(number)) {
                await(IN_FLIGHT_MAX - 1);
                send(number);
            }
        }
        await(0);
        tellFailure();
        var info = files.writes().complete(node.key(), Objects.requireNonNull(upload), sizes.of(size - 1), condition);
        return metadata.equals(sent) ? info : files.writes().describe(node.key(), metadata);
    }

    /** Gives up the bytes that are not stored. */
    synchronized void discard() {
        discarded = true;
        dirty = false;
        hasContent = false;
        drop();
    }

    /** The name is gone: nothing is stored any more; what is all in memory can be used until the file is closed. */
    synchronized void unlinked() {
        if (upload != null || !hasContent) {
            discard();
        } else {
            discarded = true;
            dirty = false;
        }
    }

    /** Frees the memory and aborts the upload. */
    private void drop() {
        var abandoned = upload;
        upload = null;
        try {
            await(0);
        } catch (IOException stop) {
            // the parts are given back by those who send them
        }
        failure = null;
        begun.clear();
        if (inFlight == 0) {
            held.values().forEach(PartBuffer::close);
        }
        held.clear();
        if (abandoned != null) {
            files.writes().end(abandoned);
        }
    }

    /** Frees what a file that is stored and closed has in memory. */
    synchronized void close() {
        drop();
        loaded = false;
        hasContent = false;
    }

    /** Runs while nothing is written or stored. */
    synchronized void paused(Action action) throws IOException {
        awaitStored();
        action.run();
    }

    interface Action {
        void run() throws IOException;
    }
}
