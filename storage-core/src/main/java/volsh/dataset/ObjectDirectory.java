package volsh.dataset;

import java.io.ByteArrayInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import volsh.object.ObjectStore;
import volsh.tree.FileTree;
import volsh.tree.NewEntry;
import volsh.tree.ObjectStream;
import volsh.tree.OpenTrees;
import volsh.tree.Place;
import volsh.tree.TreeEntry;

/**
 * The objects of a bucket below a prefix. What is put there appears whole and survives power loss. Small files that
 * will be read are got ahead of their reader, several at a time.
 */
public final class ObjectDirectory implements DatasetDirectory {
    private static final int PIECE = 8 << 20;
    private static final int AHEAD_FILES = 256;
    private static final int AHEAD_SIZE = 256 << 10;

    private final OpenTrees trees;
    private final Place.InBucket place;
    private final ObjectStore store;
    private final FileTree tree;
    private final Semaphore free = new Semaphore(AHEAD_FILES);
    private final Map<String, FutureTask<byte[]>> coming = new ConcurrentHashMap<>();

    /** Neither the trees nor the bucket are closed with it. */
    public ObjectDirectory(OpenTrees trees, Place.InBucket place) throws IOException {
        this.trees = trees;
        this.place = place.key().isEmpty() || place.key().endsWith("/") ? place : place.at(place.key() + "/");
        this.store = trees.bucket(place);
        this.tree = trees.of(this.place);
    }

    private String key(String name) {
        return place.key() + name;
    }

    @Override
    public String shown(String name) {
        return place.at(key(name)).toString();
    }

    @Override
    public void walk(Visitor visitor) throws IOException {
        var below = tree.below("");
        for (var entry = below.next(); entry != null; entry = below.next()) {
            if (entry.isRegular()) {
                visit(entry, visitor);
            }
        }
    }

    /** Keys may be what no path is. */
    private static void visit(TreeEntry entry, Visitor visitor) throws IOException {
        var parts = List.of(entry.path().split("/", -1));
        if (!isPath(parts)) {
            visitor.unusable(entry.path(), "its key is no path");
        } else if (parts.stream().noneMatch(part -> part.startsWith("."))) {
            visitor.file(entry.path(), entry.size(), entry.modified(), entry.size());
        }
    }

    static boolean isPath(List<String> parts) {
        return !parts.contains("") && !parts.contains(".") && !parts.contains("..");
    }

    @Override
    public Found find(String name) throws IOException {
        var found = tree.find(name).filter(TreeEntry::isRegular)
                .orElseThrow(() -> new FileNotFoundException(shown(name) + ": no such object"));
        return new Found(found.size(), found.modified(), found.size());
    }

    @Override
    public List<String> names(String directory) throws IOException {
        var names = new ArrayList<String>();
        var children = tree.children(directory);
        for (var child = children.next(); child != null; child = children.next()) {
            names.add(child.name());
        }
        Collections.sort(names);
        return names;
    }

    @Override
    public OptionalLong size(String name) throws IOException {
        var found = tree.find(name).filter(TreeEntry::isRegular);
        return found.isPresent() ? OptionalLong.of(found.get().size()) : OptionalLong.empty();
    }

    /** {@code handle} is the size. */
    @Override
    public InputStream read(String name, long handle) throws IOException {
        var ahead = coming.remove(name);
        if (ahead != null) {
            try {
                ahead.run();    // here, unless a thread has begun
                return new ByteArrayInputStream(ahead.get());
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("cancelled");
            } catch (ExecutionException failed) {
                // the reader meets the failure itself, if it lasts
            } finally {
                free.release();
            }
        }
        return new ObjectInput(name, handle);
    }

    @Override
    public boolean readsAhead() {
        return true;
    }

    @Override
    public void willRead(String name, long size, long handle) {
        if (size > AHEAD_SIZE || !free.tryAcquire()) {
            return;
        }
        var task = new FutureTask<>(() -> got(name, size));
        if (coming.putIfAbsent(name, task) != null) {
            free.release();
            return;
        }
        Thread.ofVirtual().name("dataset-get").start(task);
    }

    /** At most this many bytes, and one more if there are more: the reader notices. */
    private byte[] got(String name, long size) throws IOException {
        var bytes = ByteBuffer.allocate((int) size + 1);
        int count = store.get(key(name), 0, bytes, null);
        return Arrays.copyOf(bytes.array(), count);
    }

    /** An object from its beginning, a piece at a time. */
    private final class ObjectInput extends InputStream {
        private final String name;
        private final ByteBuffer piece;
        private long offset;
        private boolean ended;

        ObjectInput(String name, long size) {
            this.name = name;
            this.piece = ByteBuffer.allocate(Math.clamp(size + 1, 1, PIECE)).limit(0);
        }

        @Override
        public int read() throws IOException {
            var one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] target, int from, int length) throws IOException {
            if (!piece.hasRemaining() && length > 0 && !ended) {
                int count = store.get(key(name), offset, piece.clear(), null);
                ended = count < piece.capacity();
                piece.position(0).limit(count);
                offset += count;
            }
            int count = Math.min(length, piece.remaining());
            piece.get(target, from, count);
            return count == 0 && length > 0 ? -1 : count;
        }
    }

    @Override
    public OpenShard open(String name) throws IOException {
        return new ObjectShard(store, store.head(key(name)));
    }

    @Override
    public PendingFile create(String name) throws IOException {
        return new PendingObject(shown(name), trees.stream(place.at(key(name)), (int) NewEntry.PART));
    }

    /** An object that is being sent. */
    private static final class PendingObject extends PendingFile {
        private static final int BUFFER = 64 << 10;

        private final ObjectStream object;

        PendingObject(String shown, ObjectStream object) {
            super(shown, BUFFER);
            this.object = object;
        }

        @Override
        void write(ByteBuffer bytes) throws IOException {
            object.write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
            bytes.position(bytes.limit());
        }

        @Override
        void place() throws IOException {
            object.commit();
        }

        @Override
        public void close() throws IOException {
            object.close();
        }
    }

    @Override
    public FileBatch batch(boolean replace) {
        return new ObjectBatch(this, replace);
    }

    @Override
    public void makeDirectories() {
        // keys need none
    }

    @Override
    public void delete(String name) throws IOException {
        store.delete(List.of(key(name)));
    }

    @Override
    public boolean isDurable() {
        return true;
    }

    @Override
    public void sync(List<String> names) {
        // what a bucket has acknowledged is safe
    }
}
