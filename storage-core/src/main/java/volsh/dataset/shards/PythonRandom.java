package volsh.dataset.shards;

import java.util.function.IntUnaryOperator;

/**
 * The random numbers of Python's {@code random.Random(seed)}: the Mersenne Twister MT19937, seeded as Python seeds it.
 * So a line of Python gives the same order as volsh.
 */
public final class PythonRandom {
    private static final int N = 624;
    private static final int M = 397;
    private static final int FIRST_SEED = 19650218;
    private static final int FACTOR = 1812433253;

    private final int[] state = new int[N];
    private int next = N;

    /** @param seed not negative */
    public PythonRandom(long seed) {
        if (seed < 0) {
            throw new IllegalArgumentException("a seed is not negative: " + seed);
        }
        int[] key = seed >>> 32 == 0 ? new int[] {(int) seed} : new int[] {(int) seed, (int) (seed >>> 32)};
        state[0] = FIRST_SEED;
        for (int i = 1; i < N; i++) {
            state[i] = FACTOR * (state[i - 1] ^ state[i - 1] >>> 30) + i;
        }
        int at = stir(1, N, (i, step) -> (state[i] ^ mixed(i, 1664525)) + key[step % key.length] + step % key.length);
        stir(at, N - 1, (i, step) -> (state[i] ^ mixed(i, 1566083941)) - i);
        state[0] = 0x80000000;
    }

    private interface Stirring {
        int value(int index, int step);
    }

    private int stir(int from, int steps, Stirring stirring) {
        int i = from;
        for (int step = 0; step < steps; step++) {
            state[i] = stirring.value(i, step);
            if (++i == N) {
                state[0] = state[N - 1];
                i = 1;
            }
        }
        return i;
    }

    private int mixed(int index, int factor) {
        return (state[index - 1] ^ state[index - 1] >>> 30) * factor;
    }

    private int bits32() {
        if (next == N) {
            for (int i = 0; i < N; i++) {
                int y = state[i] & 0x80000000 | state[(i + 1) % N] & 0x7FFFFFFF;
                state[i] = state[(i + M) % N] ^ y >>> 1 ^ ((y & 1) == 0 ? 0 : 0x9908B0DF);
            }
            next = 0;
        }
        int y = state[next++];
        y ^= y >>> 11;
        y ^= y << 7 & 0x9D2C5680;
        y ^= y << 15 & 0xEFC60000;
        return y ^ y >>> 18;
    }

    /** {@code random.randrange(bound)}. */
    public int below(int bound) {
        int bits = 32 - Integer.numberOfLeadingZeros(bound);
        int drawn = bits32() >>> 32 - bits;
        while (drawn >= bound) {
            drawn = bits32() >>> 32 - bits;
        }
        return drawn;
    }

    /** {@code random.shuffle} of {@code [first(0), first(1) ...]}. */
    public int[] shuffled(int count, IntUnaryOperator first) {
        var numbers = new int[count];
        java.util.Arrays.setAll(numbers, first);
        for (int i = count - 1; i > 0; i--) {
            int other = below(i + 1);
            int kept = numbers[i];
            numbers[i] = numbers[other];
            numbers[other] = kept;
        }
        return numbers;
    }

    /** {@code order = list(range(count)); random.shuffle(order)}. */
    public int[] order(int count) {
        return shuffled(count, i -> i);
    }
}
