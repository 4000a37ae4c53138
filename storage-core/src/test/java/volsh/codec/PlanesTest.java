package volsh.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Numbers whose bytes are taken apart: nothing is lost, weights become smaller, other bytes are left to zstd, and the
 * format is as documented.
 */
final class PlanesTest {
    private static final BlockIdentity IDENTITY = new BlockIdentity(new UUID(1, 2), 3);

    private static ByteBuffer direct(byte[] bytes) {
        return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    }

    private static byte[] weights(int bytes, int width) {
        byte[] run = new byte[bytes];
        Sample.floats(new Random(width), run, width);
        return run;
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void apartAndTogetherAgain(int width) {
        var random = new Random(width);
        var planes = new Planes();
        for (int length = 1; length < 70; length++) {
            byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            var apart = ByteBuffer.allocateDirect(100);
            planes.split(direct(bytes), width, apart);
            for (int plane = 0, at = 0; plane < width; at += Planes.length(length, width, plane++)) {
                for (int i = 0; i * width + plane < length; i++) {
                    assertThat(apart.get(at + i)).isEqualTo(bytes[i * width + plane]);
                }
            }
            var back = ByteBuffer.allocateDirect(length + 8);
            planes.join(apart, width, back, 5, length);
            assertThat(back.slice(5, length)).isEqualTo(ByteBuffer.wrap(bytes));
            assertThat(back.getInt(0) | back.get(4) | back.get(length + 5)).as("nothing beside").isZero();
        }
    }

    /** What a reader does who has only docs/FORMAT.md. */
    @Test
    void theFormatIsAsItIsDocumented() {
        byte[] raw = weights(50_001, 2);
        try (var codec = new BlockCodec()) {
            var block = Sample.of(codec, IDENTITY, direct(raw), new Compression.Planes(1)).block();
            var stored = block.stored();
            int at = block.index().storedOffset(0);
            assertThat(stored.get(at + 8)).isEqualTo((byte) 3);
            int width = stored.get(at + 16);
            assertThat(width).isEqualTo(2);
            int from = at + 17 + 4 * width;
            byte[] found = new byte[raw.length];
            for (int plane = 0; plane < width; plane++) {
                byte[] packed = new byte[stored.getInt(at + 17 + 4 * plane)];
                stored.get(from, packed);
                int length = (raw.length - plane + width - 1) / width;
                byte[] bytes = packed.length == length ? packed : Zstd.decompress(packed, length);
                for (int i = 0; i < length; i++) {
                    found[i * width + plane] = bytes[i];
                }
                from += packed.length;
            }
            assertThat(found).isEqualTo(raw);
            assertThat(from).isEqualTo(stored.limit());
        }
    }

    @Test
    void weightsBecomeSmallerThanWithZstdAlone() {
        for (int width : new int[] {2, 4}) {
            byte[] raw = weights(1 << 20, width);
            double gain = (double) size(raw, new Compression.Planes(1)) / size(raw, new Compression.Zstd(3));
            System.out.printf("planes of %d bytes: %.3f of what zstd takes%n", width, gain);
            assertThat(gain).isLessThan(width == 2 ? 0.90 : 0.93);
        }
    }

    /** Text, zeros and noise have no planes: they are written as with zstd, so nothing becomes larger. */
    @Test
    void otherBytesAreLeftToZstd() {
        var random = new Random(1);
        byte[] noise = new byte[300_000];
        random.nextBytes(noise);
        byte[] text = "the quick brown fox jumps over it. ".repeat(9000)
                .getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        for (byte[] raw : new byte[][] {noise, text, new byte[300_000]}) {
            assertThat(size(raw, new Compression.Planes(3))).isEqualTo(size(raw, new Compression.Zstd(3)));
        }
    }

    private static int size(byte[] raw, Compression compression) {
        try (var codec = new BlockCodec()) {
            return Sample.of(codec, IDENTITY, direct(raw), compression).block().stored().remaining();
        }
    }

    /** A payload that lies about its planes is refused, also where its checksum is right. */
    @Test
    void nonsenseIsRefused() {
        var random = new Random(5);
        byte[] raw = weights(40_000, 4);
        try (var codec = new BlockCodec(() -> new FrameChecksum() {
            @Override
            int of(BlockIdentity identity, int frame, int rawOffset, ByteBuffer stored, int payloadLength) {
                return 0;
            }
        }, FrameEncryption.NONE)) {
            var sample = Sample.of(codec, IDENTITY, direct(raw), new Compression.Planes(1));
            int at = sample.block().index().storedOffset(0) + 16;
            for (int i = 0; i < 2000; i++) {
                var damaged = sample.copy();
                if (i % 2 == 0) {
                    damaged.put(at, (byte) (random.nextInt(250) + 5));
                } else {
                    damaged.putInt(at + 1 + 4 * random.nextInt(4), random.nextInt() | 1 << random.nextInt(32));
                }
                assertThatThrownBy(() -> codec.verify(IDENTITY, damaged)).isInstanceOf(CorruptBlockException.class);
            }
        }
    }
}
