package volsh.s3test;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/** Decides by a seed which requests suffer from what, and counts. */
public final class Faults {
    private final Random random;
    private final Set<Fault> kinds;
    private final Map<Fault, Long> injected = new EnumMap<>(Fault.class);
    private double rate;
    private boolean armed;

    /** Of all requests the part {@code rate} meets one of {@code kinds}. */
    public Faults(double rate, Set<Fault> kinds, long seed) {
        this.rate = rate;
        this.kinds = EnumSet.copyOf(kinds);
        this.random = new Random(seed);
    }

    /** Every kind, for a fifth and more of all requests. */
    public static Faults ofAllKinds(long seed) {
        return new Faults(0.25, EnumSet.allOf(Fault.class), seed);
    }

    public static Faults none() {
        return new Faults(0, EnumSet.allOf(Fault.class), 0);
    }

    /** From now on. */
    public synchronized void setRate(double now) {
        rate = now;
    }

    /** The next request meets one of the kinds, and no other does unless the rate says so. */
    public synchronized void spoilNext() {
        armed = true;
    }

    synchronized Optional<Fault> next(HttpMessage request) {
        if (random.nextDouble() >= rate && !armed) {
            return Optional.empty();
        }
        List<Fault> possible = new ArrayList<>(kinds);
        possible.removeIf(kind -> !kind.fits(request));
        if (possible.isEmpty()) {
            return Optional.empty();
        }
        armed = false;
        var chosen = possible.get(random.nextInt(possible.size()));
        injected.merge(chosen, 1L, Long::sum);
        return Optional.of(chosen);
    }

    synchronized byte[] flipped(byte[] bytes) {
        byte[] wrong = bytes.clone();
        wrong[random.nextInt(wrong.length)] ^= (byte) (1 << random.nextInt(8));
        return wrong;
    }

    synchronized int cut(int bytes) {
        return random.nextInt(bytes);
    }

    /** How often each kind happened. */
    public synchronized Map<Fault, Long> injected() {
        return new EnumMap<>(injected);
    }

    public synchronized long total() {
        return injected.values().stream().mapToLong(Long::longValue).sum();
    }
}
