package volsh.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Units cover a frame without gaps, the raw bytes of one with a header in whole pages, and every flipped bit is
 * noticed.
 */
final class FrameUnitsTest {
    @Test
    void unitsCoverAFrame() {
        for (int length : new int[] {1, 300, 4095, 4096, 4097, 8192, 131_072 + 16, 50_000}) {
            int units = FrameUnits.count(length);
            assertThat(FrameUnits.start(length, 0)).isZero();
            assertThat(FrameUnits.start(length, units)).isEqualTo(length);
            for (int unit = 0; unit < units; unit++) {
                int start = FrameUnits.start(length, unit);
                int end = FrameUnits.start(length, unit + 1);
                assertThat(end - start).as("unit %d of %d", unit, length).isBetween(1, FrameUnits.LENGTH);
                assertThat(FrameUnits.at(length, start)).isEqualTo(unit);
                assertThat(FrameUnits.at(length, end - 1)).isEqualTo(unit);
            }
        }
        assertThat(FrameUnits.start(131_072 + 16, 1)).as("behind the header").isEqualTo(16);
    }

    @Test
    void everyFlippedBitIsNoticed() {
        var random = new Random(3);
        var bytes = new byte[3 * FrameUnits.LENGTH + 16];
        random.nextBytes(bytes);
        var target = ByteBuffer.allocate(FrameUnits.sumsLength(bytes.length));
        FrameUnits.putSums(ByteBuffer.wrap(bytes), target);
        var sums = new int[FrameUnits.count(bytes.length)];
        target.flip().asIntBuffer().get(sums);
        assertThat(FrameUnits.areRight(bytes.length, sums, 0, ByteBuffer.wrap(bytes))).isTrue();
        for (int i = 0; i < 2000; i++) {
            int at = random.nextInt(bytes.length);
            int unit = FrameUnits.at(bytes.length, at);
            int start = FrameUnits.start(bytes.length, unit);
            bytes[at] ^= (byte) (1 << random.nextInt(8));
            var piece = ByteBuffer.wrap(bytes, start, FrameUnits.start(bytes.length, unit + 1) - start);
            assertThat(FrameUnits.areRight(bytes.length, sums, unit, piece)).isFalse();
            FrameUnits.putSums(ByteBuffer.wrap(bytes), target.clear());
            target.flip().asIntBuffer().get(sums);
        }
    }
}
