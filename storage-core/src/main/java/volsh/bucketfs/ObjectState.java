package volsh.bucketfs;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import volsh.fuse.Times;
import volsh.object.ObjectInfo;

/**
 * A state of an object.
 *
 * @param mtime nanoseconds since the epoch
 * @param metadata null if only a listing is known
 */
record ObjectState(long size, long mtime, String etag, @Nullable Map<String, String> metadata) {
    static ObjectState listed(ObjectInfo info) {
        return new ObjectState(info.size(), Times.of(info.modified()), info.etag(), null);
    }

    static ObjectState of(ObjectInfo info) {
        return new ObjectState(info.size(), Times.of(info.modified()), info.etag(), info.metadata());
    }

    /** Whether the bytes are the same; the ETag says so where the server has one. */
    boolean sameBytes(ObjectState other) {
        return size == other.size && etag.equals(other.etag) && (!etag.isEmpty() || mtime == other.mtime);
    }

    /** What a read expects; null if the server has no ETags. */
    @Nullable String expected() {
        return etag.isEmpty() ? null : etag;
    }

    /** A number for this state of the bytes. */
    long version() {
        long mixed = (etag.isEmpty() ? mtime : hash(etag)) * 0x9e3779b97f4a7c15L + size;
        return mixed ^ mixed >>> 29;
    }

    private static long hash(String text) {
        long hash = 0xcbf29ce484222325L;
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * 0x100000001b3L;
        }
        return hash;
    }
}
