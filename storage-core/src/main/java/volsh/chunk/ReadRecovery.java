package volsh.chunk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.LongAdder;
import volsh.block.BlockStore;
import volsh.block.NoSuchBlockException;
import volsh.codec.BlockCodec;
import volsh.codec.CorruptBlockException;
import volsh.place.LostBlockException;
import volsh.place.Placement;

/**
 * Which failures of a read are tried again, and how often. A block that metadata names is in the store, whole and
 * right: what is not is read again before anybody hears of it, for it may have been damaged on its way.
 *
 * <table><caption>Each kind of failure is retried at one place:</caption>
 * <tr><th>failure</th><th>is answered with</th><th>by</th></tr>
 * <tr><td>no answer, an error, "slow down"</td><td>the same request after a pause, ten times in a minute</td>
 *     <td>{@link volsh.block.Retrying}</td></tr>
 * <tr><td>"no such object", said by S3</td><td>a request of another kind; absent is what both say</td>
 *     <td>{@code S3BlockStore}</td></tr>
 * <tr><td>one copy or shard fails or is late</td><td>the other ones</td><td>{@link volsh.place.PlacedStore}</td></tr>
 * <tr><td>wrong bytes from a cache directory</td><td>the block dropped there, the bytes from the store</td>
 *     <td>{@link Fetched}</td></tr>
 * <tr><td>missing or cut short</td><td>one more get at once; then as damaged</td><td>{@link #get}</td></tr>
 * <tr><td>damaged</td><td>mending, if there is redundancy; one more get in any case, and a last one if mended</td>
 *     <td>{@link #recover}</td></tr>
 * <tr><td>blocks that a file no longer has</td><td>its extents asked for again</td><td>{@link FileRead}</td></tr>
 * </table>
 */
final class ReadRecovery {
    private static final int ATTEMPTS = 3;

    private final BlockStore store;
    private final Placement placement;
    private final BlockCodec codec;
    private final LongAdder rereads = new LongAdder();

    ReadRecovery(BlockStore store, Placement placement, BlockCodec codec) {
        this.store = store;
        this.placement = placement;
        this.codec = codec;
    }

    /** Gets bytes of a block. */
    interface Get {
        void run() throws IOException;
    }

    /** Looks at bytes that were got. */
    interface Check {
        void run() throws CorruptBlockException;
    }

    /** Fills {@code stored} from {@code offset} of the stored block, and flips it; nobody has checked these bytes. */
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
        int got;
        try {
            got = store.get(block.key(), offset, stored);
        } catch (NoSuchBlockException gone) {
            throw CorruptBlockException.missing(
                    block.identity(), "it is missing from " + gone.stores().orElse("the store"));
        } catch (LostBlockException lost) {
            throw wrong(block, lost.getMessage());
        }
        if (got < stored.limit()) {
            throw wrong(block, "cut short: %d of %d bytes at %d".formatted(got, stored.limit(), offset));
        }
        stored.flip();
    }

    private static CorruptBlockException wrong(StoredBlock block, String what) {
        return new CorruptBlockException(block.identity(), what);
    }

    /**
     * Bytes of the store did not pass their check. They are put right if there is redundancy, also when another copy
     * would be right at once, for the wrong one is there still; and in any case {@code get} reads them again.
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

    /** False if nobody can put the block right. */
    private boolean mend(StoredBlock block, CorruptBlockException damaged) {
        try {
            return placement.mend(block.id(), stored -> codec.isRight(block.identity(), block.index(), stored));
        } catch (IOException unable) {
            damaged.addSuppressed(unable);
            return false;
        }
    }

    /** How often the store was asked again, as what it gave was damaged, cut short or nothing. */
    long rereads() {
        return rereads.sum();
    }
}
