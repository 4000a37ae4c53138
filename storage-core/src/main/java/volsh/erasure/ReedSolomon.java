package volsh.erasure;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Computes {@code parity} pieces from {@code data} pieces such that any {@code data} of them restore the others. Pieces
 * have the same length; a shorter data piece counts as padded with zeros. Works on any range of the pieces: byte i of a
 * piece depends only on byte i of the others. Thread-safe.
 *
 * <p>Fast without native code: eight bytes are one long. Multiplying all of them by 2 takes a few shifts and masks,
 * which the compiler turns into vector instructions; any factor is a sum of powers of 2. So each piece is doubled up to
 * seven times, and added to those results whose factor has the bit. The work is done in tiles that stay in the
 * first-level cache.
 */
public final class ReedSolomon {
    private static final int TILE_LONGS = 512;
    private static final int TILE = TILE_LONGS * Long.BYTES;
    private static final long LOW_BITS = 0x7f7f7f7f7f7f7f7fL;
    private static final long ONES = 0x0101010101010101L;

    private final int data;
    private final int parity;
    private final int[][] generator;

    public ReedSolomon(int data, int parity) {
        if (data < 1 || parity < 1 || data + parity > 256) {
            throw new IllegalArgumentException("unsupported code: %d data and %d parity pieces"
                    .formatted(data, parity));
        }
        this.data = data;
        this.parity = parity;
        this.generator = Matrix.generator(data, parity);
    }

    public int data() {
        return data;
    }

    public int parity() {
        return parity;
    }

    /** Fills the {@code parity} buffers, {@code length} bytes each from their start, from the data buffers. */
    public void encode(ByteBuffer[] pieces, ByteBuffer[] parities, int length) {
        if (pieces.length != data || parities.length != parity) {
            throw new IllegalArgumentException("%d+%d pieces, not %d+%d".formatted(data, parity, pieces.length,
                    parities.length));
        }
        var rows = new int[parity][];
        System.arraycopy(generator, data, rows, 0, parity);
        combine(rows, pieces, parities, length);
    }

    /**
     * Fills {@code target} with piece {@code wanted} from any {@code data} others; lost pieces are null.
     *
     * @throws IllegalArgumentException if too few are present
     */
    public void restore(@Nullable ByteBuffer[] pieces, int wanted, ByteBuffer target, int length) {
        var inputs = new ByteBuffer[data];
        var rows = new int[data][];
        int found = 0;
        for (int i = 0; i < data + parity && found < data; i++) {
            if (pieces[i] != null && i != wanted) {
                inputs[found] = pieces[i];
                rows[found++] = generator[i];
            }
        }
        if (found < data) {
            throw new IllegalArgumentException("only %d pieces are present, but %d are needed".formatted(found, data));
        }
        int[][] factors = Matrix.product(new int[][] {generator[wanted]}, Matrix.inverse(rows));
        combine(factors, inputs, new ByteBuffer[] {target}, length);
    }

    private static void combine(int[][] factors, ByteBuffer[] inputs, ByteBuffer[] outputs, int length) {
        var tile = new long[TILE_LONGS];
        var sums = new long[outputs.length][TILE_LONGS];
        var room = MemorySegment.ofArray(tile);
        for (int from = 0; from < length; from += TILE) {
            for (var sum : sums) {
                Arrays.fill(sum, 0);
            }
            for (int i = 0; i < inputs.length; i++) {
                if (load(inputs[i], from, Math.min(TILE, length - from), room)) {
                    add(factors, i, tile, sums);
                }
            }
            for (int j = 0; j < outputs.length; j++) {
                int count = Math.min(TILE, length - from);
                MemorySegment.copy(MemorySegment.ofArray(sums[j]), 0, MemorySegment.ofBuffer(outputs[j]), from, count);
            }
        }
    }

    /** Copies a tile of the input, padded with zeros; false if it is all zeros. */
    private static boolean load(ByteBuffer input, int from, int wanted, MemorySegment room) {
        int count = Math.clamp(input.remaining() - from, 0, wanted);
        if (count > 0) {
            MemorySegment.copy(MemorySegment.ofBuffer(input), from, room, 0, count);
            room.asSlice(count).fill((byte) 0);
        }
        return count > 0;
    }

    private static void add(int[][] factors, int input, long[] tile, long[][] sums) {
        int left = 0;
        for (var row : factors) {
            left |= row[input];
        }
        for (int bit = 1; left != 0; bit <<= 1, left >>= 1) {
            for (int j = 0; j < sums.length; j++) {
                if ((factors[j][input] & bit) != 0) {
                    add(tile, sums[j]);
                }
            }
            if (left > 1) {
                twice(tile);
            }
        }
    }

    private static void add(long[] tile, long[] sum) {
        for (int i = 0; i < TILE_LONGS; i++) {
            sum[i] ^= tile[i];
        }
    }

    /** Each byte times 2: shifted, and reduced where its highest bit was set. */
    private static void twice(long[] tile) {
        for (int i = 0; i < TILE_LONGS; i++) {
            long value = tile[i];
            long carry = value >>> 7 & ONES;
            tile[i] = (value & LOW_BITS) << 1 ^ carry ^ carry << 2 ^ carry << 3 ^ carry << 4;
        }
    }
}
