package volsh.tree;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import volsh.block.StoreUrl;
import volsh.object.ObjectHeaders;
import volsh.object.ObjectStore;
import volsh.object.ObjectUpload;
import volsh.object.PutCondition;

/** Puts an object: at once if it is one part, else as an upload, which is aborted unless it is committed. */
final class BucketWriter implements TreeWriter {
    private final ObjectStore store;
    private final String key;
    private final ObjectHeaders headers;
    private final NewEntry file;
    private final int part;
    private UploadRecords.@Nullable Begun record;
    private @Nullable ObjectUpload upload;
    private @Nullable ByteBuffer whole;
    private boolean committed;

    BucketWriter(ObjectStore store, StoreUrl url, String key, NewEntry file, UploadRecords records)
            throws IOException {
        this.store = store;
        this.key = key;
        this.file = file;
        this.headers = ObjectHeaders.of(file.metadata());
        this.part = partOf(file);
        if (file.size() > part) {
            records.sweep(url, store);
            record = records.begin(url, key);
            try {
                upload = store.upload(key, headers);
                record.is(upload.id());
            } catch (IOException | RuntimeException failed) {
                close();
                throw failed;
            }
        }
    }

    /** At least what servers want, and large enough that the parts suffice. */
    private static int partOf(NewEntry file) {
        long least = Math.ceilDiv(file.size(), (long) ObjectUpload.PARTS_MAX);
        return (int) Math.min(Math.max(Math.max(file.part(), ObjectUpload.PART_BYTES_MIN), least), 1 << 30);
    }

    @Override
    public int part() {
        return part;
    }

    @Override
    public void write(long offset, ByteBuffer bytes) throws IOException {
        if (upload == null) {
            store.put(key, bytes, headers, PutCondition.ALWAYS);
            whole = bytes;
        } else {
            upload.part(Math.toIntExact(offset / part) + 1, bytes);
        }
    }

    @Override
    public void commit() throws IOException {
        if (upload != null) {
            upload.complete(Math.toIntExact(Math.ceilDiv(file.size(), (long) part)), PutCondition.ALWAYS);
        } else if (whole == null) {
            store.put(key, ByteBuffer.allocate(0), headers, PutCondition.ALWAYS);
        }
        committed = true;
    }

    @Override
    public void close() throws IOException {
        if (upload != null && !committed) {
            upload.close();
        }
        if (record != null) {
            record.ended();
        }
    }
}
