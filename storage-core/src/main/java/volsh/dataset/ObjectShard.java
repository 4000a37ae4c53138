package volsh.dataset;

import java.io.IOException;
import java.nio.ByteBuffer;
import volsh.object.ObjectInfo;
import volsh.object.ObjectStore;

/**
 * One state of an object. A reader that continues where it stopped gets much at a time; one that jumps gets what it
 * asks for.
 */
final class ObjectShard implements DatasetDirectory.OpenShard {
    private static final int PIECE_MIN = 64 << 10;
    private static final int PIECE_MAX = 8 << 20;
    private static final int GROWTH = 4;

    private final ObjectStore store;
    private final ObjectInfo object;
    private ByteBuffer piece = ByteBuffer.allocate(0);
    private long start;
    private long next;
    private int wanted = PIECE_MIN / GROWTH;

    ObjectShard(ObjectStore store, ObjectInfo object) {
        this.store = store;
        this.object = object;
    }

    @Override
    public long size() {
        return object.size();
    }

    @Override
    public synchronized int read(long offset, ByteBuffer target) throws IOException {
        if (offset >= object.size()) {
            return 0;
        }
        if (offset < start || offset >= start + piece.limit()) {
            wanted = offset == next ? Math.min(PIECE_MAX, GROWTH * wanted) : PIECE_MIN / GROWTH;
            if (target.remaining() >= wanted || offset != next) {
                int count = get(offset, target);
                next = offset + count;
                return count;
            }
            piece = ByteBuffer.allocate((int) Math.min(wanted, object.size() - offset));
            start = offset;
            piece.limit(get(offset, piece));
        }
        int at = (int) (offset - start);
        int count = Math.min(target.remaining(), piece.limit() - at);
        target.put(piece.slice(at, count));
        next = offset + count;
        return count;
    }

    private int get(long offset, ByteBuffer target) throws IOException {
        return store.get(object.key(), offset, target, object.etag().isEmpty() ? null : object.etag());
    }

    @Override
    public void close() {
        piece = ByteBuffer.allocate(0);
    }
}
