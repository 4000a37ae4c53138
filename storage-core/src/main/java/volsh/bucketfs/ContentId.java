package volsh.bucketfs;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import volsh.cache.FrameKey;

/**
 * Names the bytes of one state of one object, in caches: a digest of the key and what the server says of the state. A
 * changed object has another id, so what is cached is never stale.
 */
record ContentId(long high, long low) {
    static ContentId of(String key, ObjectState state) {
        String text = "%s\0%s\0%d\0%s".formatted(key, state.etag(), state.size(),
                state.etag().isEmpty() ? Long.toString(state.mtime()) : "");
        try {
            var digest = ByteBuffer.wrap(MessageDigest.getInstance("SHA-256")
                    .digest(text.getBytes(StandardCharsets.UTF_8)));
            return new ContentId(digest.getLong(), digest.getLong());
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("SHA-256 is not available", missing);
        }
    }

    /** The number of one of its blocks. */
    long block(long index) {
        return new FrameKey(high + index * 0x9e3779b97f4a7c15L, (int) low).mixed() & Long.MAX_VALUE;
    }

    /** What a cached frame on a disk begins with: numbers of blocks are too short to be unique. */
    void tag(long index, ByteBuffer target) {
        target.putLong(high ^ index).putLong(low);
    }

    boolean isTag(long index, ByteBuffer source) {
        return source.getLong() == (high ^ index) && source.getLong() == low;
    }
}
