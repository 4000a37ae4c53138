package volsh.chunk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import volsh.block.BlockKey;
import volsh.block.memory.MemoryBlockStore;
import volsh.cache.disk.DiskTier;
import volsh.chunk.BlockWriter.BlockOwner;
import volsh.codec.Compression;
import volsh.codec.FrameEncryption;
import volsh.codec.CorruptBlockException;
import volsh.fs.ImportedBytes;
import volsh.place.Placement;

/** A block that is wrong in the store whenever it is read, in whatever way, is put right if there is redundancy. */
final class ReadRecoveryTest {
    private static final int SIZE = 300 << 10;   // three frames
    private static final BlockKey KEY = BlockKey.of(7);

    private final MemoryBlockStore store = new MemoryBlockStore();
    private final ByteBuffer raw = ByteBuffer.allocateDirect(SIZE);
    private ByteBuffer right;
    private boolean redundant = true;
    private int mended;
    private final BlockIo blocks = new BlockIo(
            new UUID(1, 2), store, store, Compression.None::new, 8 << 20, DiskTier.NONE, new Placement() {
        @Override
        public boolean mend(long block, Check check) throws IOException {
            mended++;
            if (redundant) {
                assertThat(check.isRight(right.duplicate())).isTrue();
                store.put(KEY, right);
            }
            return redundant;
        }
    }, ImportedBytes.NONE, FrameEncryption.NONE);
    private StoredBlock block;

    private enum Damage {
        FLIPPED, CUT_SHORT, MISSING
    }

    @BeforeEach
    void write() throws IOException {
        byte[] bytes = new byte[SIZE];
        new SplittableRandom(1).nextBytes(bytes);
        block = blocks.reader()
                .describe(blocks.writer().write(7, BlockOwner.file(1, 0), raw.put(bytes).flip(), new int[0]));
        right = ByteBuffer.allocateDirect(block.index().storedSize());
        assertThat(store.get(KEY, 0, right)).isEqualTo(right.capacity());
        right.flip();
    }

    @AfterEach
    void close() {
        blocks.close();
    }

    private void damage(Damage damage) {
        switch (damage) {
            case FLIPPED -> {
                var wrong = ByteBuffer.allocate(right.limit()).put(right.duplicate()).flip();
                store.put(KEY, wrong.put(wrong.limit() - 9, (byte) ~wrong.get(wrong.limit() - 9)));
            }
            case CUT_SHORT -> store.put(KEY, right.slice(0, right.limit() - 9));
            case MISSING -> store.delete(KEY);
        }
    }

    private interface Read {
        void run() throws IOException;
    }

    private void assertMended(Damage damage, Read read) throws IOException {
        damage(damage);
        mended = 0;
        read.run();
        assertThat(mended).isEqualTo(1);
        redundant = false;
        damage(damage);
        assertThatThrownBy(read::run).isInstanceOf(CorruptBlockException.class);
        redundant = true;
    }

    @ParameterizedTest
    @EnumSource
    void aBlockWithRedundancyIsReadWhateverIsWrongWithACopy(Damage damage) throws IOException {
        assertMended(damage, () -> {
            var target = ByteBuffer.allocateDirect(SIZE);
            blocks.reader().read(block, 0, target);
            assertThat(target.flip().mismatch(raw)).isEqualTo(-1);
        });
        assertMended(damage, () -> {
            var target = ByteBuffer.allocateDirect(block.storedLength(0, 2));
            blocks.reader().fetchChecked(block, 0, 2, target);
            assertThat(target.mismatch(right.slice(block.index().storedOffset(0), target.limit()))).isEqualTo(-1);
        });
    }
}
