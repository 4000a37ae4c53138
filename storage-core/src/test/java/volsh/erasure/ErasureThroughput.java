package volsh.erasure;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Prints how fast one core makes parity and restores what is lost. Run by hand: the numbers are in docs/PERFORMANCE.md.
 */
final class ErasureThroughput {
    private static final int BLOCK = 4 << 20;
    private static final long NANOS = 1_500_000_000L;

    private ErasureThroughput() {}

    public static void main(String[] arguments) {
        System.out.println("code     encode MB/s   restore one lost shard MB/s   (of the block, one core)");
        for (var code : List.of(new ReedSolomon(2, 1), new ReedSolomon(4, 2), new ReedSolomon(8, 3),
                new ReedSolomon(10, 4))) {
            int length = BLOCK / code.data();
            var pieces = new ByteBuffer[code.data() + code.parity()];
            Arrays.setAll(pieces, each -> bytes(length, each));
            var data = Arrays.copyOf(pieces, code.data());
            var parity = Arrays.copyOfRange(pieces, code.data(), pieces.length);
            double encode = rate((long) length * code.data(), () -> code.encode(data, parity, length));
            var lost = pieces.clone();
            lost[0] = null;
            var target = ByteBuffer.allocateDirect(length);
            double restore = rate((long) length * code.data(), () -> code.restore(lost, 0, target, length));
            System.out.printf("%-8s %8.0f %20.0f%n", code.data() + "+" + code.parity(), encode, restore);
        }
    }

    private static double rate(long bytes, Runnable work) {
        double best = 0;
        for (int round = 0; round < 3; round++) {
            long begin = System.nanoTime();
            long count = 0;
            while (System.nanoTime() - begin < NANOS) {
                work.run();
                count++;
            }
            best = Math.max(best, count * bytes * 1e3 / (System.nanoTime() - begin));
        }
        return best;
    }

    private static ByteBuffer bytes(int length, int seed) {
        byte[] bytes = new byte[length];
        new SplittableRandom(seed).nextBytes(bytes);
        return ByteBuffer.allocateDirect(length).put(bytes).flip();
    }
}
