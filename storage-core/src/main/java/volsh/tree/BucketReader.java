package volsh.tree;

import java.io.IOException;
import volsh.object.ObjectChangedException;
import volsh.object.ObjectSink;
import volsh.object.ObjectStore;

/** Reads one state of an object: every request expects its ETag. */
final class BucketReader implements TreeReader {
    private final ObjectStore store;
    private final TreeEntry object;
    private final String name;

    BucketReader(ObjectStore store, TreeEntry object, String name) {
        this.store = store;
        this.object = object;
        this.name = name;
    }

    @Override
    public long size() {
        return object.size();
    }

    @Override
    public void read(long offset, long length, ObjectSink sink) throws IOException {
        try {
            store.get(BucketTree.keyOf(object), offset, length, object.etag().isEmpty() ? null : object.etag(), sink);
        } catch (ObjectChangedException changed) {
            throw new EntryChangedException(name);
        }
    }

    @Override
    public String state() {
        return object.etag();
    }

    @Override
    public void requireUnchanged() throws IOException {
        if (!object.etag().isEmpty()) {
            return;     // every request has checked it
        }
        var now = store.head(BucketTree.keyOf(object));
        if (now.size() != object.size()) {
            throw new EntryChangedException(name);
        }
    }

    @Override
    public void close() {}
}
