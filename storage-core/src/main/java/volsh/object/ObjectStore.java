package volsh.object;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A bucket: objects of bytes under keys of text, which other programs read and write, too.
 *
 * <p>An object is replaced as a whole: a reader sees one state of it, named by its ETag. Keys are any text of 1 to 1024
 * bytes of UTF-8; a slash means nothing here except to {@link #list}. Every call is one attempt;
 * {@code bucket.RetryingObjects} repeats it.
 *
 * <p>Thread-safe. Calls block; callers bring their own threads.
 *
 * <p>What fails is told by type: {@link NoSuchObjectException}, {@link ObjectChangedException},
 * {@code RefusedException} (denied, no such bucket, wrong settings: retrying cannot help),
 * {@code SlowDownException}; any other IOException may pass.
 */
// Think twice before adding a method: every backend and every decorator pays for it.
public interface ObjectStore extends AutoCloseable {
    /**
     * One page of the objects whose keys begin with a prefix, in the order of their UTF-8 bytes. With
     * {@link ObjectQuery#grouped} set, keys that continue behind the prefix with text and a slash are not listed one by
     * one: each such common prefix, slash included, appears once.
     */
    ObjectPage list(ObjectQuery query) throws IOException;

    /** What is known of an object without reading it. */
    ObjectInfo head(String key) throws IOException;

    /**
     * Fills {@code target} from {@code offset} of the object; returns the bytes read, fewer than remained in the target
     * only where the object ends (0 at or beyond the end).
     *
     * @param etag the state that is expected; null for any
     * @throws ObjectChangedException if the object is in another state than expected
     */
    int get(String key, long offset, ByteBuffer target, @Nullable String etag) throws IOException;

    /**
     * Passes exactly {@code length} bytes from {@code offset} on to the sink, piece by piece: memory stays small
     * however long they are. A failure may come after some of them.
     *
     * @param etag the state that is expected; null for any
     * @throws ObjectChangedException if the object is in another state than expected, or ends earlier
     */
    default void get(String key, long offset, long length, @Nullable String etag, ObjectSink sink)
            throws IOException {
        var piece = ByteBuffer.allocate((int) Math.min(length, ObjectSink.PIECE));
        for (long at = offset, end = offset + length; at < end; at += piece.limit()) {
            piece.clear().limit((int) Math.min(end - at, ObjectSink.PIECE));
            int expected = piece.remaining();
            if (get(key, at, piece, etag) < expected) {
                throw new ObjectChangedException(name(), key, end);
            }
            sink.write(piece.flip());
        }
    }

    /**
     * Stores the remaining bytes of {@code data}, whose position is left as it was, in place of what the key named
     * before; the server verifies a checksum of them where it can. Once this returns, the object survives power loss.
     *
     * @throws ObjectChangedException if the condition is not met; nothing has been stored
     */
    ObjectInfo put(String key, ByteBuffer data, ObjectHeaders headers, PutCondition condition) throws IOException;

    /** Begins an object that is sent in parts, in any order and by several threads. It appears when it is completed. */
    ObjectUpload upload(String key, ObjectHeaders headers) throws IOException;

    /**
     * Copies an object within the bucket, without moving its bytes through this machine.
     *
     * @param headers those of the copy; null keeps those of the source
     */
    ObjectInfo copy(String from, String to, @Nullable ObjectHeaders headers) throws IOException;

    /**
     * Removes the objects, in as few requests as the server can; absent ones are no error. If it throws, some of them
     * may be gone.
     */
    void delete(List<String> keys) throws IOException;

    /** Uploads that were begun and neither completed nor aborted, of keys that begin with {@code prefix}. */
    List<UnfinishedUpload> unfinished(String prefix) throws IOException;

    /**
     * Goes on with an unfinished upload, which knows the parts it has; empty if it is gone, or cannot go on here.
     *
     * @param crc32c the checksums of parts that were sent, in base64: not every server tells them, and some want them
     */
    default Optional<ObjectUpload> resume(UnfinishedUpload left, Map<Integer, String> crc32c) throws IOException {
        return Optional.empty();
    }

    /** Removes the parts of an unfinished upload; a missing one is no error. */
    void discard(UnfinishedUpload left) throws IOException;

    /** The name for users, such as {@code s3://bucket/prefix}: of the place that keys are relative to. */
    String name();

    @Override
    void close() throws IOException;
}
