package volsh.chunk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import volsh.cache.disk.DiskTier;
import volsh.codec.BlockCodec;
import volsh.codec.BlockIdentity;
import volsh.codec.Compression;
import volsh.codec.EncodedBlock;

/** Frames of which a disk has some: what is asked of the store for the others. */
final class StoredFramesTest {
    private static final int SIZE = 4 << 20;
    private static final BlockIdentity IDENTITY = new BlockIdentity(new UUID(1, 2), 3);

    private EncodedBlock encoded;
    private final List<Integer> offered = new ArrayList<>();
    private final List<String> asked = Collections.synchronizedList(new ArrayList<>());

    @BeforeEach
    void encode() {
        byte[] raw = new byte[SIZE];
        new SplittableRandom(1).nextBytes(raw);
        try (var codec = new BlockCodec()) {
            var target = ByteBuffer.allocateDirect(BlockCodec.maxStoredSize(SIZE, 0));
            encoded = codec.encode(IDENTITY, new Compression.None(), ByteBuffer.allocateDirect(SIZE).put(raw).flip(),
                    target);
        }
    }

    /** Has all frames but these. */
    private final class Lacking implements DiskTier {
        private final List<Integer> lacking;

        Lacking(List<Integer> lacking) {
            this.lacking = lacking;
        }

        @Override
        public boolean[] read(long block, int first, int[] lengths, ByteBuffer stored) {
            var found = new boolean[lengths.length];
            for (int i = 0, at = stored.position(); i < lengths.length; at += lengths[i++]) {
                found[i] = !lacking.contains(first + i);
                if (found[i]) {
                    stored.put(at, encoded.stored(), encoded.index().storedOffset(first + i), lengths[i]);
                }
            }
            return found;
        }

        @Override
        public void offer(long block, int frameCount, int first, ByteBuffer[] stored) {
            IntStream.range(0, stored.length).filter(i -> stored[i] != null).forEach(i -> offered.add(first + i));
        }
    }

    private ByteBuffer filled(List<Integer> lacking, StoredFrames.Store store) throws IOException {
        int count = encoded.index().frameCount();
        int base = encoded.index().storedOffset(0);
        var memory = ByteBuffer.allocate(encoded.stored().remaining() - base);
        var block = new StoredBlock(IDENTITY, encoded.index(), 0);
        var frames = new StoredFrames(new Lacking(lacking), block, 0, count, memory);
        frames.fill(store);
        frames.proved(0, count - 1);
        frames.keep();
        return memory;
    }

    private void fetch(int offset, ByteBuffer target) {
        asked.add("%d frames".formatted(Math.round(target.remaining() / 131_072.0)));
        target.put(encoded.stored().slice(offset, target.remaining()));
    }

    private void assertWhole(ByteBuffer memory) {
        int base = encoded.index().storedOffset(0);
        byte[] right = new byte[memory.capacity()];
        encoded.stored().get(base, right);
        assertThat(Arrays.mismatch(memory.array(), right)).isEqualTo(-1);
    }

    @Test
    void nothingIsAskedForThatIsHere() throws IOException {
        assertWhole(filled(List.of(), this::fetch));
        assertThat(asked).isEmpty();
        assertThat(offered).isEmpty();
    }

    @Test
    void framesThatAreCloseComeWithOneRequestAndOnlyTheMissingOnesAreKept() throws IOException {
        assertWhole(filled(List.of(3, 4, 7), this::fetch));
        assertThat(asked).containsExactly("5 frames");
        assertThat(offered).containsExactly(3, 4, 7);
    }

    @Test
    void runsFarFromEachOtherAreGotSideBySide() throws IOException {
        var all = new CyclicBarrier(3);
        assertWhole(filled(List.of(0, 10, 20, 21), (offset, target) -> {
            try {
                all.await(10, TimeUnit.MINUTES);   // none goes on before all have begun
            } catch (InterruptedException | BrokenBarrierException | TimeoutException alone) {
                throw new IOException(alone);
            }
            fetch(offset, target);
        }));
        assertThat(asked).containsExactlyInAnyOrder("1 frames", "1 frames", "2 frames");
        assertThat(offered).containsExactly(0, 10, 20, 21);
    }

    @Test
    void oneThatFailsIsTold() {
        assertThatThrownBy(() -> filled(List.of(0, 10, 20), (offset, target) -> {
            if (offset < 1 << 20) {   // not in the thread of the caller
                throw new IOException("away");
            }
            fetch(offset, target);
        })).isInstanceOf(IOException.class).hasMessageContaining("away");
    }
}
