package volsh.place;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.Preceded;

/** A store with injected faults, which are looked up ten times a second while it is used. For drills. */
public final class Chaotic implements Preceded {
    private static final long EVERY = Duration.ofMillis(100).toNanos();

    private final BlockStore delegate;
    private final String name;
    private final Supplier<Optional<Chaos>> orders;
    private volatile Optional<Chaos> ordered = Optional.empty();
    private volatile long looked = System.nanoTime() - EVERY;

    public Chaotic(BlockStore delegate, String name, Supplier<Optional<Chaos>> orders) {
        this.delegate = delegate;
        this.name = name;
        this.orders = orders;
    }

    @Override
    public BlockStore delegate() {
        return delegate;
    }

    private Optional<Chaos> now() {
        if (System.nanoTime() - looked >= EVERY) {
            look();
        }
        return ordered;
    }

    /** Callers that come meanwhile wait for what is found: what they knew may be old. */
    private synchronized void look() {
        long time = System.nanoTime();
        if (time - looked >= EVERY) {
            ordered = orders.get();
            looked = time;
        }
    }

    /** Waits or fails as configured. */
    @Override
    public void before() throws IOException {
        var chaos = now();
        if (chaos.isPresent()) {
            suffer(chaos.get());
        }
    }

    private void suffer(Chaos chaos) throws IOException {
        if (chaos.down()) {
            throw new IOException("store '%s' is down: fault injected by 'volsh chaos' until %s"
                    .formatted(name, chaos.until()));
        }
        if (happens(chaos.errors().fraction())) {
            throw new IOException("store '%s' failed: fault injected by 'volsh chaos' until %s"
                    .formatted(name, chaos.until()));
        }
        if (!chaos.slow().isZero()) {
            try {
                Thread.sleep(chaos.slow());
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while waiting for a slow store");
            }
        }
    }

    private static boolean happens(double probability) {
        return probability > 0 && ThreadLocalRandom.current().nextDouble() < probability;
    }

    @Override
    public int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
        int start = target.position();
        int count = Preceded.super.get(key, offset, target);
        var chaos = now();
        if (count > 0 && chaos.isPresent() && happens(chaos.get().corrupt().fraction())) {
            int at = start + ThreadLocalRandom.current().nextInt(count);
            target.put(at, (byte) (target.get(at) ^ 1 << ThreadLocalRandom.current().nextInt(8)));
        }
        return count;
    }
}
