package volsh.fuse.kernel;

import java.util.concurrent.atomic.LongAdder;

/** How many requests of each kind have come. */
final class RequestCounts {
    private static final int KINDS = 64;

    private final LongAdder[] counts = new LongAdder[KINDS];

    RequestCounts() {
        for (int i = 0; i < KINDS; i++) {
            counts[i] = new LongAdder();
        }
    }

    void add(int opcode) {
        counts[opcode & KINDS - 1].increment();
    }

    long of(int opcode) {
        return counts[opcode & KINDS - 1].sum();
    }
}
