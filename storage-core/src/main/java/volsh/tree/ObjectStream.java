package volsh.tree;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import volsh.block.StoreUrl;
import volsh.object.ObjectHeaders;
import volsh.object.ObjectStore;
import volsh.object.ObjectUpload;
import volsh.object.PutCondition;

/**
 * Writes an object of unknown length: with one request if it is short, else in parts, one after the other. The object
 * appears with {@link #commit}; what is closed without one leaves nothing behind.
 */
public final class ObjectStream extends OutputStream {
    private static final int FIRST = 64 << 10;

    private final ObjectStore store;
    private final StoreUrl url;
    private final String key;
    private final int part;
    private final UploadRecords records;
    private byte[] buffer;
    private int count;
    private int parts;
    private long length;
    private @Nullable ObjectUpload upload;

    ObjectStream(ObjectStore store, StoreUrl url, String key, int part, UploadRecords records) {
        this.store = store;
        this.url = url;
        this.key = key;
        this.part = Math.max(part, ObjectUpload.PART_BYTES_MIN);
        this.records = records;
        this.buffer = new byte[FIRST];
    }

    /** The bytes written so far. */
    public long length() {
        return length;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int size) throws IOException {
        for (int at = offset, end = offset + size; at < end; ) {
            if (count == part) {
                send();
            }
            int step = Math.min(end - at, part - count);
            if (buffer.length < count + step) {
                buffer = Arrays.copyOf(buffer, Math.min(part, Math.max(count + step, 2 * buffer.length)));
            }
            System.arraycopy(bytes, at, buffer, count, step);
            count += step;
            length += step;
            at += step;
        }
    }

    private void send() throws IOException {
        if (parts == ObjectUpload.PARTS_MAX) {
            throw new IOException("%s: more than %,d parts; use a larger --part".formatted(key, parts));
        }
        if (upload == null) {
            upload = records.upload(url, store, key, ObjectHeaders.NONE, "");
        }
        upload.part(parts + 1, ByteBuffer.wrap(buffer, 0, count));
        parts++;
        count = 0;
    }

    /** Makes the object of what was written, in place of what the key named before. */
    public void commit() throws IOException {
        if (upload == null) {
            store.put(key, ByteBuffer.wrap(buffer, 0, count), ObjectHeaders.NONE, PutCondition.ALWAYS);
        } else {
            send();     // what follows the last full part: at least a byte
            upload.complete(parts, PutCondition.ALWAYS);
        }
    }

    @Override
    public void close() throws IOException {
        if (upload != null) {
            upload.close();
        }
    }
}
