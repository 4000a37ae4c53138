package volsh.cache;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Ways in which training reads its data, pass by pass. Frames are all of one size. */
enum Workload {
    FITS("fits (0.95 x), shuffled", 0.95) {
        @Override
        List<FrameKey> pass(List<FrameKey> set, Random random) {
            return shuffled(set, random);
        }
    },
    FIXED("1.25 x cache, fixed order", 1.25) {
        @Override
        List<FrameKey> pass(List<FrameKey> set, Random random) {
            return set;
        }
    },
    SHUFFLED("1.25 x cache, shuffled", 1.25) {
        @Override
        List<FrameKey> pass(List<FrameKey> set, Random random) {
            return shuffled(set, random);
        }
    },
    TWICE("2 x cache, shuffled", 2) {
        @Override
        List<FrameKey> pass(List<FrameKey> set, Random random) {
            return shuffled(set, random);
        }
    },
    LARGE("4 x cache, shuffled", 4) {
        @Override
        List<FrameKey> pass(List<FrameKey> set, Random random) {
            return shuffled(set, random);
        }
    };

    private final String words;
    private final double share;

    Workload(String words, double share) {
        this.words = words;
        this.share = share;
    }

    abstract List<FrameKey> pass(List<FrameKey> set, Random random);

    /** The reads of some passes over a set that relates so to a cache of {@code room} frames. */
    List<List<FrameKey>> passes(int room, int count, long seed) {
        var random = new Random(seed);
        var set = new ArrayList<FrameKey>();
        for (int i = 0; i < room * share; i++) {
            set.add(new FrameKey(1 + i / 32, i % 32));
        }
        var passes = new ArrayList<List<FrameKey>>();
        for (int i = 0; i < count; i++) {
            passes.add(pass(set, random));
        }
        return passes;
    }

    private static List<FrameKey> shuffled(List<FrameKey> keys, Random random) {
        var copy = new ArrayList<>(keys);
        Collections.shuffle(copy, random);
        return copy;
    }

    @Override
    public String toString() {
        return words;
    }
}
