package volsh.chunk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.LongAdder;
import volsh.block.BlockStore;
import volsh.block.NoSuchBlockException;
import volsh.codec.BlockCodec;
import volsh.codec.CorruptBlockException;
import volsh.fs.ImportedBlock;
import volsh.fs.ImportedBytes;
import volsh.place.LostBlockException;
import volsh.place.Placement;

/**
 * Decides which failures of a read are retried, and how often. A block that metadata names is in the store, whole and
 * undamaged. If a read finds it otherwise, it is read again before the failure is reported, because the bytes may have
 * been damaged on the way.
 *
 * <table><caption>Each kind of failure is retried at one place:</caption>
 * <tr><th>failure</th><th>response</th><th>by</th></tr>
 * <tr><td>no answer, an error, "slow down"</td><td>the same request after a pause, ten times in a minute</td>
 *     <td>{@link volsh.block.Retrying}</td></tr>
 * <tr><td>S3 says "no such object"</td><td>a request of another kind; the object is absent if both say so</td>
 *     <td>{@code S3BlockStore}</td></tr>
 * <tr><td>one copy or shard fails or is late</td><td>another copy, or the other shards</td>
 *     <td>{@link volsh.place.PlacedStore}</td></tr>
 * <tr><td>wrong bytes from a cache directory</td><td>the block is dropped there and read from the store</td>
 *     <td>{@link Fetched}</td></tr>
 * <tr><td>missing or cut short</td><td>one more get at once; then as if damaged</td><td>{@link #get}</td></tr>
 * <tr><td>damaged</td><td>repair, if there is redundancy; one more get in any case, and a last one if repaired</td>
 *     <td>{@link #recover}</td></tr>
 * <tr><td>blocks that a file no longer has</td><td>its extents are read again</td><td>{@link FileRead}</td></tr>
 * </table>
 */
final class ReadRecovery {
    private static final int ATTEMPTS = 3;

    private final BlockStore store;
    private final Placement placement;
    private final BlockCodec codec;
    private final ImportedBytes imported;
    private final LongAdder rereads = new LongAdder();

    ReadRecovery(BlockStore store, Placement placement, BlockCodec codec, ImportedBytes imported) {
        this.imported = imported;
        this.store = store;
        this.placement = placement;
        this.codec = codec;
    }

    /** Gets bytes of a block. */
    interface Get {
        void run() throws IOException;
    }

    /** Checks bytes that were read. */
    interface Check {
        void run() throws CorruptBlockException;
    }

    /** Fills {@code stored} from {@code offset} of the stored block, and flips it; the bytes are not checked yet. */
    void get(StoredBlock block, int offset, ByteBuffer stored) throws IOException {
        try {
            getOnce(block, offset, stored);
        } catch (CorruptBlockException lacking) {
            rereads.increment();
            getAgain(block, offset, stored.rewind());
        }
    }

    private void getAgain(StoredBlock block, int offset, ByteBuffer stored) throws IOException {
        try {
            getOnce(block, offset, stored);
        } catch (CorruptBlockException still) {
            if (!mend(block, still)) {
                throw still;
            }
            rereads.increment();
            getOnce(block, offset, stored.rewind());
        }
    }

    private void getOnce(StoredBlock block, int offset, ByteBuffer stored) throws IOException {
        if (block.imported() != null) {
            getImported(block, block.imported(), offset, stored);
            return;
        }
        int got;
        try {
            got = store.get(block.key(), offset, stored);
        } catch (NoSuchBlockException gone) {
            throw CorruptBlockException.missing(
                    block.identity(), "missing from " + gone.stores().orElse("the store"));
        } catch (LostBlockException lost) {
            throw wrong(block, String.valueOf(lost.getMessage()));
        }
        if (got < stored.limit()) {
            throw wrong(block, "cut short: %d of %d bytes at %d".formatted(got, stored.limit(), offset));
        }
        stored.flip();
    }

    /** Makes frames of bytes of an object. Only its ETag tells whether it is right, so a second get would not help. */
    private void getImported(StoredBlock block, ImportedBlock object, int offset, ByteBuffer stored)
            throws IOException {
        var index = block.index();
        int first = 0;
        while (index.storedOffset(first) < offset) {
            first++;
        }
        int last = first;
        while (index.storedOffset(last) + index.storedLength(last) < offset + stored.limit()) {
            last++;
        }
        int from = index.rawOffset(first);
        int raw = index.rawOffset(last) + index.rawLength(last) - from;
        imported.read(object, from, stored.slice(stored.limit() - raw, raw));
        codec.frame(block.identity(), index, first, last, stored);
    }

    private static CorruptBlockException wrong(StoredBlock block, String what) {
        return new CorruptBlockException(block.identity(), what);
    }

    /**
     * Reads bytes again that failed their check. With redundancy the block is repaired first, even if another copy
     * could be read at once, because the damaged copy would stay; in any case {@code get} reads the bytes again.
     */
    void recover(StoredBlock block, CorruptBlockException first, Get get, Check check) throws IOException {
        var damaged = first;
        for (int attempt = 1; attempt < ATTEMPTS; attempt++) {
            if (!mend(block, damaged) && attempt > 1) {
                break;
            }
            rereads.increment();
            get.run();
            try {
                check.run();
                return;
            } catch (CorruptBlockException still) {
                damaged = still;
            }
        }
        throw damaged;
    }

    /** Repairs the block from its other copies or shards; false if that is not possible. */
    private boolean mend(StoredBlock block, CorruptBlockException damaged) {
        try {
            return placement.mend(block.id(), stored -> codec.isRight(block.identity(), block.index(), stored));
        } catch (IOException unable) {
            damaged.addSuppressed(unable);
            return false;
        }
    }

    /** The number of repeated reads because the store returned damaged bytes, too few, or none. */
    long rereads() {
        return rereads.sum();
    }
}
