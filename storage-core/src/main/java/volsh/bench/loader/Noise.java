package volsh.bench.loader;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.function.BooleanSupplier;

/** Bytes that do not compress, and whether somebody still wants them. */
final class Noise {
    private static final int SIZE = 4 << 20;

    private final ByteBuffer bytes = ByteBuffer.allocateDirect(SIZE);
    private final Random random;
    private final BooleanSupplier stop;

    Noise(long seed, BooleanSupplier stop) {
        this.random = new Random(seed);
        this.stop = stop;
        byte[] filled = new byte[SIZE];
        random.nextBytes(filled);
        bytes.put(0, filled);
    }

    /** At most so many of them, from another place each time. */
    ByteBuffer next(long most) {
        int from = random.nextInt(SIZE / 2);
        return bytes.slice(from, (int) Math.min(most, SIZE - from));
    }

    boolean stopped() {
        return stop.getAsBoolean();
    }
}
