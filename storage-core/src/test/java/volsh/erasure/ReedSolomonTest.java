package volsh.erasure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Any k of k + m pieces give the others back, whatever is lost. */
final class ReedSolomonTest {
    private static final long SEED = Long.getLong("volsh.seed", 7);
    private static final int TILE = 4096;

    @Test
    void everyErasurePatternOfSmallCodes() {
        var random = new Random(SEED);
        for (int data = 1; data <= 6; data++) {
            for (int parity = 1; parity <= 4; parity++) {
                var pieces = encoded(data, parity, 1 + random.nextInt(100), random);
                for (int pattern = 0; pattern < 1 << data + parity; pattern++) {
                    if (Integer.bitCount(pattern) == parity) {
                        assertRestored(data, parity, pieces, pattern);
                    }
                }
            }
        }
    }

    @Test
    void randomLossesOfLongPieces() {
        var random = new Random(SEED);
        int rounds = Boolean.getBoolean("volsh.long") ? 1000 : 60;
        for (int round = 0; round < rounds; round++) {
            int data = 1 + random.nextInt(20);
            int parity = 1 + random.nextInt(6);
            var pieces = encoded(data, parity, 1 + random.nextInt(3 * TILE), random);
            int pattern = 0;
            while (Integer.bitCount(pattern) < parity) {
                pattern |= 1 << random.nextInt(data + parity);
            }
            assertRestored(data, parity, pieces, pattern);
        }
    }

    @Test
    void theFirstParityIsTheExclusiveOr() {
        var pieces = encoded(5, 3, 1000, new Random(SEED));
        for (int i = 0; i < 1000; i++) {
            int sum = 0;
            for (int piece = 0; piece < 5; piece++) {
                sum ^= pieces[piece].get(i);
            }
            assertThat(pieces[5].get(i)).isEqualTo((byte) sum);
        }
    }

    /** Compared with the plain definition, a table look-up for each byte. */
    @Test
    void parityIsWhatTheMatrixSays() {
        var pieces = encoded(10, 4, 777, new Random(SEED));
        int[][] generator = Matrix.generator(10, 4);
        for (int parity = 10; parity < 14; parity++) {
            for (int at = 0; at < 777; at++) {
                int sum = 0;
                for (int piece = 0; piece < 10; piece++) {
                    sum ^= GaloisField.multiply(generator[parity][piece], pieces[piece].get(at) & 0xff);
                }
                assertThat(pieces[parity].get(at) & 0xff).isEqualTo(sum);
            }
        }
    }

    @Test
    void shorterDataEndInZeros() {
        var random = new Random(SEED);
        var code = new ReedSolomon(3, 2);
        var padded = new ByteBuffer[] {bytes(random, 5000), bytes(random, 5000), ByteBuffer.allocate(5000)};
        var last = bytes(random, 1234);
        padded[2].put(0, last, 0, 1234);
        var expected = new ByteBuffer[] {ByteBuffer.allocate(5000), ByteBuffer.allocate(5000)};
        code.encode(padded, expected, 5000);
        var parity = new ByteBuffer[] {ByteBuffer.allocateDirect(5000), ByteBuffer.allocateDirect(5000)};
        code.encode(new ByteBuffer[] {padded[0], padded[1], last}, parity, 5000);
        assertThat(parity).isEqualTo(expected);
    }

    @Test
    void tooFewPiecesAreRefused() {
        var pieces = encoded(4, 2, 100, new Random(SEED));
        Arrays.fill(pieces, 0, 3, null);
        assertThatThrownBy(() -> new ReedSolomon(4, 2).restore(pieces, 0, ByteBuffer.allocate(100), 100))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** What the test of restored pieces is worth: with a wrong piece among them it must fail. */
    @Test
    void negativeControl() {
        var pieces = encoded(4, 2, 100, new Random(SEED));
        var expected = pieces[0];
        pieces[0] = null;
        pieces[3].put(50, (byte) ~pieces[3].get(50));
        var target = ByteBuffer.allocate(100);
        new ReedSolomon(4, 2).restore(pieces, 0, target, 100);
        assertThat(target).isNotEqualTo(expected);
    }

    private static ByteBuffer[] encoded(int data, int parity, int length, Random random) {
        var pieces = new ByteBuffer[data + parity];
        for (int i = 0; i < data; i++) {
            pieces[i] = bytes(random, length);
        }
        var parities = new ByteBuffer[parity];
        Arrays.setAll(parities, each -> ByteBuffer.allocate(length));
        new ReedSolomon(data, parity).encode(Arrays.copyOf(pieces, data), parities, length);
        System.arraycopy(parities, 0, pieces, data, parity);
        return pieces;
    }

    private static void assertRestored(int data, int parity, ByteBuffer[] pieces, int lost) {
        int length = pieces[0].remaining();
        var left = pieces.clone();
        for (int i = 0; i < left.length; i++) {
            left[i] = (lost & 1 << i) != 0 ? null : left[i];
        }
        var code = new ReedSolomon(data, parity);
        for (int i = 0; i < left.length; i++) {
            if (left[i] == null) {
                var target = ByteBuffer.allocate(length);
                code.restore(left, i, target, length);
                assertThat(target).as("%d+%d, piece %d, lost %x, seed %d", data, parity, i, lost, SEED)
                        .isEqualTo(pieces[i]);
            }
        }
    }

    private static ByteBuffer bytes(Random random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return ByteBuffer.wrap(bytes);
    }
}
