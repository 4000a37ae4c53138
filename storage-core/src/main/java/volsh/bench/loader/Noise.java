package volsh.bench.loader;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

/** Incompressible bytes for writers, with cancellation and progress. */
final class Noise {
    private static final int SIZE = 4 << 20;

    private final ByteBuffer bytes = ByteBuffer.allocateDirect(SIZE);
    private final Random random;
    private final BooleanSupplier stop;
    private final LongConsumer progress;

    Noise(long seed, BooleanSupplier stop, LongConsumer progress) {
        this.random = new Random(seed);
        this.stop = stop;
        this.progress = progress;
        byte[] filled = new byte[SIZE];
        random.nextBytes(filled);
        bytes.put(0, filled);
    }

    /** At most {@code most} of them, from another place each time. */
    ByteBuffer next(long most) {
        int from = random.nextInt(SIZE / 2);
        int count = (int) Math.min(most, SIZE - from);
        progress.accept(count);
        return bytes.slice(from, count);
    }

    boolean stopped() {
        return stop.getAsBoolean();
    }
}
