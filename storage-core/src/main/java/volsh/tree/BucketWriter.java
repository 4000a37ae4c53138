package volsh.tree;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import volsh.block.StoreUrl;
import volsh.object.ObjectHeaders;
import volsh.object.ObjectStore;
import volsh.object.ObjectUpload;
import volsh.object.PutCondition;

/**
 * Puts an object: at once if it is one part, else as an upload. One that is interrupted before it is committed stays,
 * for the next attempt to go on with; any other is aborted.
 */
final class BucketWriter implements TreeWriter {
    private final ObjectStore store;
    private final String key;
    private final ObjectHeaders headers;
    private final NewEntry file;
    private final int part;
    private UploadRecords.@Nullable Recorded upload;
    private @Nullable ByteBuffer whole;
    private boolean committed;
    private boolean useless;

    BucketWriter(ObjectStore store, StoreUrl url, String key, NewEntry file, UploadRecords records)
            throws IOException {
        this.store = store;
        this.key = key;
        this.file = file;
        this.headers = ObjectHeaders.of(file.metadata());
        this.part = partOf(file);
        if (file.size() > part) {
            upload = records.upload(url, store, key, headers, state());
        }
    }

    /** Of the original, and of how it is sent; empty if another attempt cannot go on with what this one has sent. */
    private String state() {
        return file.origin().isEmpty() ? ""
                : LocalWriter.digest("%s %d %s".formatted(file.origin(), part, new TreeMap<>(file.metadata())), 16);
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
            upload.part(number(offset), bytes);
        }
    }

    private int number(long offset) {
        return Math.toIntExact(offset / part) + 1;
    }

    @Override
    public boolean isWritten(long offset, long length) {
        return upload != null && upload.has(number(offset), length);
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
    public void discard() {
        useless = true;
    }

    /** What another attempt can go on with stays, and its record. */
    @Override
    public void close() throws IOException {
        if (upload != null && !committed && !useless && !file.origin().isEmpty()) {
            upload.record().left();
        } else if (upload != null) {
            upload.close();
        }
    }
}
