package volsh.imported;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import volsh.fs.ImportChangedException;
import volsh.fs.ImportedBlock;
import volsh.fs.ImportedBytes;
import volsh.object.NoSuchObjectException;
import volsh.object.ObjectChangedException;
import volsh.object.ObjectStore;
import volsh.upkeep.check.ImportedObjectCheck;

/**
 * The objects of all imports of a volume. Buckets are opened by the first read that needs them. Bytes are only handed
 * out from an object in the state that was imported, which the server checks with every get; they have no
 * checksum of their own. Thread-safe.
 */
public final class ImportedObjects implements ImportedBytes, ImportedObjectCheck, AutoCloseable {
    private static final int ATTEMPTS = 3;

    private final ImportRecords records;
    private final BucketOpener buckets;
    private final Map<Integer, ObjectStore> open = new HashMap<>();

    public ImportedObjects(ImportRecords records, BucketOpener buckets) {
        this.records = records;
        this.buckets = buckets;
    }

    @Override
    public void read(ImportedBlock block, long offset, ByteBuffer target) throws IOException {
        var bucket = bucket(block.source());
        int start = target.position();
        int wanted = target.remaining();
        for (int attempt = 1; ; attempt++) {
            try {
                int got = bucket.get(block.key(), block.offset() + offset, target.position(start), block.etag());
                if (got == wanted) {
                    return;
                }
                throw new IOException("%s/%s is cut short: %d of %d bytes at %d".formatted(
                        bucket.name(), block.key(), got, wanted, block.offset() + offset));
            } catch (ObjectChangedException | NoSuchObjectException unlike) {
                var now = state(bucket, block);
                if (now.isEmpty() || !now.get().equals(block.etag()) || attempt == ATTEMPTS) {
                    throw new ImportChangedException(bucket.name(), block, now);
                }
            }
        }
    }

    /** The ETag of the object as it is now; empty if it is gone. */
    private static Optional<String> state(ObjectStore bucket, ImportedBlock block) throws IOException {
        try {
            return Optional.of(bucket.head(block.key()).etag());
        } catch (NoSuchObjectException gone) {
            return Optional.empty();
        }
    }

    @Override
    public Optional<String> difference(ImportedBlock block) throws IOException {
        if (block.offset() > 0) {
            return Optional.empty();   // its first block was compared
        }
        if (records.find(block.source()).isEmpty()) {
            return Optional.of("the bucket of import %d is not known".formatted(block.source()));
        }
        var bucket = bucket(block.source());
        try {
            var now = bucket.head(block.key());
            return now.etag().equals(block.etag()) && now.size() == block.size() ? Optional.empty()
                    : Optional.of("%s/%s has ETag %s and %d bytes, imported were ETag %s and %d".formatted(
                            bucket.name(), block.key(), now.etag(), now.size(), block.etag(), block.size()));
        } catch (NoSuchObjectException gone) {
            return Optional.of("%s/%s is gone, imported was ETag %s".formatted(bucket.name(), block.key(),
                    block.etag()));
        }
    }

    private ObjectStore bucket(int source) throws IOException {
        synchronized (open) {
            var known = open.get(source);
            if (known != null) {
                return known;
            }
            var record = records.find(source).orElseThrow(() -> new IOException(
                    "metadata corrupt: a file was imported by import %d, of which nothing is known".formatted(source)));
            var opened = buckets.open(record.url());
            open.put(source, opened);
            return opened;
        }
    }

    @Override
    public void close() throws IOException {
        synchronized (open) {
            IOException failed = null;
            for (var bucket : open.values()) {
                try {
                    bucket.close();
                } catch (IOException failure) {
                    failed = failed == null ? failure : failed;
                }
            }
            open.clear();
            if (failed != null) {
                throw failed;
            }
        }
    }
}
