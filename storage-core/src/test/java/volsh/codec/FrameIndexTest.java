package volsh.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class FrameIndexTest {
    @Test
    void framesLieBackToBack() throws Exception {
        FrameIndex index = FrameIndex.of(new int[] {100, 50, 7}, new int[] {40, 50, 7});
        assertThat(index.rawSize()).isEqualTo(157);
        assertThat(index.storedOffset(0)).isEqualTo(64 + 3 * 8 + 4);
        assertThat(index.storedLength(1)).isEqualTo(66);
        assertThat(index.storedOffset(2)).isEqualTo(92 + 56 + 66);
        assertThat(index.storedSize()).isEqualTo(92 + 56 + 66 + 23);
        assertThat(IntStream.of(0, 99, 100, 149, 150, 156).map(index::frameAt)).containsExactly(0, 0, 1, 1, 2, 2);
        assertThatThrownBy(() -> index.frameAt(157)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> index.frameAt(-1)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void fourMebibytesTakeAboutSeventyBytes() throws Exception {
        var raw = new int[32];
        Arrays.fill(raw, 128 << 10);
        int[] payloads = new Random(1).ints(32, 68_000, 74_000).toArray();
        assertThat(FrameIndex.of(raw, payloads).toBytes().length).isLessThanOrEqualTo(76);
        assertThat(FrameIndex.of(raw, raw).toBytes().length).isLessThanOrEqualTo(43);
    }

    @Test
    void compactFormReadsBack() throws Exception {
        var random = new Random(2);
        for (int i = 0; i < 2_000; i++) {
            int frames = 1 + random.nextInt(40);
            boolean uniform = random.nextBoolean();
            int[] raw = random.ints(frames, 1, 200_000).toArray();
            if (uniform) {
                Arrays.fill(raw, 0, frames - 1, raw[0]);
                raw[frames - 1] = 1 + random.nextInt(raw[0]);
            }
            int[] payloads = Arrays.stream(raw).map(length -> 1 + random.nextInt(length)).toArray();
            FrameIndex index = FrameIndex.of(raw, payloads);
            assertThat(FrameIndex.parse(index.toBytes())).isEqualTo(index);
        }
    }

    @Test
    void anyBytesAreAnIndexOrRefused() throws Exception {
        long seed = System.nanoTime();
        var random = new Random(seed);
        int accepted = 0;
        int refused = 0;
        for (int i = 0; i < 50_000; i++) {
            byte[] bytes = i % 2 == 0 ? noise(random) : mutation(random);
            try {
                FrameIndex index = FrameIndex.parse(bytes);
                assertThat(index.rawSize()).as("seed %d", seed).isBetween(1, BlockCodec.RAW_LENGTH_MAX);
                assertThat(index.frameCount()).as("seed %d", seed).isLessThanOrEqualTo(bytes.length);
                accepted++;
            } catch (CorruptBlockException expected) {
                refused++;
            }
        }
        System.out.printf("FrameIndex.parse: seed %d, %d accepted, %d refused%n", seed, accepted, refused);
        assertThat(accepted).isGreaterThan(100);
        assertThat(refused).isGreaterThan(20_000);
    }

    private static byte[] noise(Random random) {
        var bytes = new byte[1 + random.nextInt(40)];
        random.nextBytes(bytes);
        bytes[0] = (byte) random.nextInt(4);
        return bytes;
    }

    private static byte[] mutation(Random random) throws CorruptBlockException {
        int[] raw = random.ints(1 + random.nextInt(10), 1, 200_000).toArray();
        byte[] bytes = FrameIndex.of(raw, raw).toBytes();
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        return bytes;
    }
}
