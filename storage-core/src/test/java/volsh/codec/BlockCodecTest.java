package volsh.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.stream.IntStream;
import net.jpountz.lz4.LZ4Factory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class BlockCodecTest {
    private static final int FRAME = BlockCodec.FRAME_LENGTH;

    private final BlockCodec codec = new BlockCodec();

    @AfterEach
    void close() {
        codec.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 15, 16, 17, 255, 4096, FRAME - 1, FRAME, FRAME + 1, 3 * FRAME, 1_000_003, 4 << 20})
    void whatWasEncodedIsDecodedWholeAndInAnyRange(int length) throws Exception {
        var random = new Random(length);
        for (Compression compression : Sample.COMPRESSIONS) {
            Sample sample = Sample.of(codec, random, length, compression);
            assertThat(sample.decode(codec, sample.block().stored(), 0, length)).isEqualTo(sample.raw());
            for (int i = 0; i < 20; i++) {
                int from = random.nextInt(length);
                int to = from + 1 + random.nextInt(length - from);
                assertThat(sample.decode(codec, sample.block().stored(), from, to))
                        .isEqualTo(sample.rawRange(from, to));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4096, FRAME - 1, FRAME, FRAME + 1, 1_000_003, 4 << 20})
    void aBlockSealedInPlaceIsTheSameAsOneThatWasEncoded(int length) {
        Sample sample = Sample.of(codec, new Random(length), length, new Compression.None());
        assertThat(Sample.sealed(codec, sample).stored()).isEqualTo(sample.block().stored());
    }

    @Test
    void framesStartWhereAsked() throws Exception {
        Sample sample = Sample.of(
                codec, new Random(1), 3 * FRAME, new Compression.Lz4(), 0, 16_384, 100_000, 2 * FRAME);
        FrameIndex index = sample.block().index();
        assertThat(IntStream.range(0, index.frameCount()).map(index::rawOffset).toArray())
                .containsExactly(0, 16_384, 100_000, 100_000 + FRAME, 2 * FRAME);
        assertThat(sample.decode(codec, sample.block().stored(), 99_999, 250_000))
                .isEqualTo(sample.rawRange(99_999, 250_000));
        assertThat(FrameIndex.parse(index.toBytes())).isEqualTo(index);
    }

    @Test
    void randomFrameStartsRoundTrip() throws Exception {
        var random = new Random(7);
        for (int i = 0; i < 40; i++) {
            int length = 1 + random.nextInt(600_000);
            int[] starts = random.ints(random.nextInt(30), 0, length).sorted().distinct().toArray();
            Sample sample = Sample.of(codec, random, length, Sample.COMPRESSIONS.get(i % Sample.COMPRESSIONS.size()),
                    starts);
            FrameIndex index = sample.block().index();
            assertThat(sample.decode(codec, sample.block().stored(), 0, length)).isEqualTo(sample.raw());
            assertThat(codec.verify(sample.identity(), sample.block().stored())).isEqualTo(index);
            assertThat(FrameIndex.parse(index.toBytes())).isEqualTo(index);
            for (int start : starts) {
                assertThat(index.rawOffset(index.frameAt(start))).isEqualTo(start);
            }
        }
    }

    @Test
    void aFrameDecodesAlone() throws Exception {
        Sample sample = Sample.of(codec, new Random(3), 5 * FRAME - 77, new Compression.Zstd(3));
        FrameIndex index = sample.block().index();
        for (int i = 0; i < index.frameCount(); i++) {
            var target = ByteBuffer.allocateDirect(FRAME + 10).position(5);
            ByteBuffer frame = sample.block().stored().slice(index.storedOffset(i), index.storedLength(i));
            codec.decodeFrame(sample.identity(), i, index, frame, target);
            assertThat(frame.position()).isZero();
            assertThat(target.position()).isEqualTo(5 + index.rawLength(i));
            assertThat(target.slice(5, index.rawLength(i)))
                    .isEqualTo(sample.rawRange(index.rawOffset(i), index.rawOffset(i) + index.rawLength(i)));
        }
    }

    @Test
    void positionsAreLeftAndNothingElseIsTouched() throws Exception {
        var raw = Sample.bytes(new Random(4), 300_000).position(1_000).limit(299_000);
        var target = ByteBuffer.allocateDirect(1 + BlockCodec.maxStoredSize(298_000)).position(1);
        var identity = new BlockIdentity(new UUID(1, 2), 3);
        EncodedBlock block = codec.encode(identity, new Compression.Lz4(), raw, target);
        assertThat(raw.position()).isEqualTo(1_000);
        assertThat(target.position()).isEqualTo(1);
        assertThat(block.stored().remaining()).isEqualTo(block.index().storedSize());
        var decoded = ByteBuffer.allocateDirect(100);
        ByteBuffer frame = block.stored().slice(block.index().storedOffset(0), block.index().storedLength(0));
        codec.decode(identity, block.index(), 0, frame, 10, 20, decoded.position(40));
        assertThat(decoded.position()).isEqualTo(50);
        assertThat(decoded.slice(40, 10)).isEqualTo(raw.slice(1_010, 10));
        assertThat(decoded.slice(0, 40)).isEqualTo(ByteBuffer.allocate(40));
        assertThat(decoded.slice(50, 50)).isEqualTo(ByteBuffer.allocate(50));
    }

    @Test
    void openReadsTheIndexFromTheFront() throws Exception {
        Sample sample = Sample.of(codec, new Random(5), 1 << 20, new Compression.Zstd(1));
        ByteBuffer stored = sample.block().stored();
        int head = BlockCodec.headLength(sample.identity(), stored.slice(0, BlockCodec.headerLength()));
        assertThat(head).isEqualTo(sample.block().index().storedOffset(0));
        assertThat(BlockCodec.open(sample.identity(), stored.slice(0, head))).isEqualTo(sample.block().index());
        assertThatThrownBy(() -> BlockCodec.open(sample.identity(), stored.slice(0, head - 1)))
                .isInstanceOf(CorruptBlockException.class);
    }

    @Test
    void incompressibleFramesAreStoredRaw() {
        var noise = new byte[FRAME];
        new SplittableRandom(6).nextBytes(noise);
        for (Compression compression : Sample.COMPRESSIONS) {
            var raw = ByteBuffer.allocateDirect(2 * FRAME).put(noise).rewind();
            FrameIndex index = Sample.of(codec, new BlockIdentity(new UUID(0, 0), 1), raw, compression).block().index();
            assertThat(index.storedLength(0)).isEqualTo(FRAME + 16);
            assertThat(index.storedLength(1) < FRAME / 10).isEqualTo(!(compression instanceof Compression.None));
        }
    }

    @Test
    void worstCaseFitsTheRoomPromised() {
        var random = new Random(8);
        for (int length : new int[] {1, 2, 7, 8, 63, 64, 300, 4095, FRAME - 1, FRAME}) {
            var noise = new byte[length];
            random.nextBytes(noise);
            var raw = ByteBuffer.allocateDirect(length).put(noise).flip();
            for (Compression compression : Sample.COMPRESSIONS) {
                Sample sample = Sample.of(codec, new BlockIdentity(new UUID(0, 0), 1), raw, compression);
                assertThat(sample.block().index().rawSize()).isEqualTo(length);
            }
        }
        assertThat(1024L)
                .isGreaterThan(Zstd.compressBound(FRAME) - FRAME)
                .isGreaterThan(LZ4Factory.fastestInstance().fastCompressor().maxCompressedLength(FRAME) - FRAME);
    }

    @Test
    void framesDecodeWithTheLibrariesThemselves() {
        var text = "all work and no play makes a dull frame. ".repeat(2_000).getBytes();
        var raw = ByteBuffer.allocateDirect(text.length).put(text).flip();
        var identity = new BlockIdentity(new UUID(0, 0), 1);
        assertThat(LZ4Factory.safeInstance().safeDecompressor()
                .decompress(payload(identity, raw, new Compression.Lz4()), text.length))
                .isEqualTo(text);
        assertThat(Zstd.decompress(payload(identity, raw, new Compression.Zstd(19)), text.length)).isEqualTo(text);
    }

    private byte[] payload(BlockIdentity identity, ByteBuffer raw, Compression compression) {
        EncodedBlock block = Sample.of(codec, identity, raw, compression).block();
        var payload = new byte[block.index().storedLength(0) - 16];
        block.stored().get(block.index().storedOffset(0) + 16, payload);
        return payload;
    }

    @Test
    void misuseIsRefused() {
        var identity = new BlockIdentity(new UUID(0, 0), 1);
        var none = new Compression.None();
        var target = ByteBuffer.allocateDirect(4096);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> codec.encode(identity, none, ByteBuffer.allocateDirect(0), target));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> codec.encode(identity, none, ByteBuffer.allocateDirect(4096), target));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> codec.encode(identity, none, ByteBuffer.allocate(10), target));
        for (int[] starts : new int[][] {{5, 5}, {5, 4}, {-1}, {10}}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> codec.encode(identity, none, ByteBuffer.allocateDirect(10), starts, target));
        }
    }

    @Test
    void worksOnAfterClosing() throws Exception {
        codec.close();
        Sample sample = Sample.of(codec, new Random(9), 10_000, new Compression.Zstd(3));
        assertThat(sample.decode(codec, sample.block().stored(), 5, 500)).isEqualTo(sample.rawRange(5, 500));
    }

    @Test
    void manyThreadsShareACodec() {
        IntStream.range(0, 64).parallel().forEach(seed -> {
            try {
                Sample sample = Sample.of(codec, new Random(seed), 200_000, Sample.COMPRESSIONS.get(seed % 4));
                assertThat(sample.decode(codec, sample.block().stored(), 0, 200_000)).isEqualTo(sample.raw());
            } catch (CorruptBlockException e) {
                throw new AssertionError("seed " + seed, e);
            }
        });
    }
}
