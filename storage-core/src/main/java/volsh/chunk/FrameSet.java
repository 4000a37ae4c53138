package volsh.chunk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import volsh.cache.Answer;
import volsh.cache.FrameLease;
import volsh.codec.FrameIndex;

/**
 * The frames of a block that hold one range of it, with the answer of the cache for each. The frames that this thread
 * has to load are loaded first, neighbouring ones with one get; only then it waits for frames that other threads load,
 * so threads cannot wait for each other in a circle. Close it: that ends the leases, and tells threads that wait for a
 * frame that was not loaded.
 */
final class FrameSet implements AutoCloseable {
    private final BlockReader blocks;
    private final StoredBlock block;
    private final int from;
    private final int to;
    private final int first;
    private final @Nullable Answer[] answers;   // null: not to be loaded here
    private final @Nullable FrameLease[] leases;     // null: not here
    private boolean loaded;           // something was loaded, from the tier or the store
    private boolean asked;            // the store was asked

    FrameSet(BlockReader blocks, StoredBlock block, int from, int to) {
        this.blocks = blocks;
        this.block = block;
        this.from = from;
        this.to = to;
        this.first = block.index().frameAt(from);
        int count = block.index().frameAt(to - 1) - first + 1;
        this.answers = new @Nullable Answer[count];
        this.leases = new @Nullable FrameLease[count];
    }

    int first() {
        return first;
    }

    int last() {
        return first + answers.length - 1;
    }

    void set(int frame, @Nullable Answer answer) {
        answers[frame - first] = answer;
        if (answer instanceof Answer.Here(FrameLease lease)) {
            leases[frame - first] = lease;
        }
    }

    private int start(int frame) {
        return Math.max(from, block.index().rawOffset(frame));
    }

    private int end(int frame) {
        return Math.min(to, block.index().rawOffset(frame) + block.index().rawLength(frame));
    }

    /** Bytes of the frame that are within the range. */
    int wanted(int frame) {
        return end(frame) - start(frame);
    }

    // ---- loading

    /** Loads the missing frames, then waits for those that other threads load. */
    void load() throws IOException {
        for (int i = 0; i < answers.length; i++) {
            if (answers[i] instanceof Answer.Missing) {
                int last = block.lastOfRun(first + i, last(), this::isMissing) - first;
                load(i, last);
                i = last;
            }
        }
        for (int i = 0; i < answers.length; i++) {
            if (answers[i] instanceof Answer.Coming coming) {
                leases[i] = coming.await();
            }
        }
    }

    private boolean isMissing(int frame) {
        return answers[frame - first] instanceof Answer.Missing;
    }

    private void load(int firstMissing, int lastMissing) throws IOException {
        try (var fetched = blocks.fetch(block, first + firstMissing, first + lastMissing)) {
            loaded = true;
            asked |= fetched.cameFromStore();
            for (int i = firstMissing; i <= lastMissing; i++) {
                if (answers[i] instanceof Answer.Missing(Answer.Room room)) {
                    fetched.decode(first + i, room.target());
                    leases[i] = room.filled();
                }
            }
        }
    }

    /** Whether the store was asked for some of it. */
    boolean cameFromStore() {
        return asked;
    }

    /** Whether all that was loaded came from the disk tier. */
    boolean cameFromTier() {
        return loaded && !asked;
    }

    // ---- using

    /** Copies the range to the target; frames that are not in the cache are decoded straight into it. */
    void copyTo(ByteBuffer target) throws IOException {
        int base = target.position();
        for (int i = 0; i < leases.length; i++) {
            int frame = first + i;
            if (leases[i] != null) {
                int at = start(frame) - block.index().rawOffset(frame);
                target.put(base + start(frame) - from, leases[i].bytes(), at, wanted(frame));
                continue;
            }
            int run = i;
            while (run + 1 < leases.length && leases[run + 1] == null) {
                run++;
            }
            int length = end(first + run) - start(frame);
            blocks.read(block, start(frame), target.slice(base + start(frame) - from, length));
            i = run;
        }
        target.position(base + to - from);
    }

    /** Passes the range and its leases to the loan; false if not all of it is in the cache. */
    boolean lendTo(FrameLoan loan) {
        for (var lease : leases) {
            if (lease == null) {
                return false;
            }
        }
        FrameIndex index = block.index();
        for (int i = 0; i < leases.length; i++) {
            int frame = first + i;
            loan.add(block.id(), index.rawOffset(frame), Objects.requireNonNull(leases[i]),
                    start(frame) - index.rawOffset(frame), wanted(frame));
            leases[i] = null;
        }
        return true;
    }

    @Override
    public void close() {
        for (int i = 0; i < answers.length; i++) {
            if (answers[i] instanceof Answer.Missing(Answer.Room room)) {
                room.close();
            }
            if (leases[i] != null) {
                leases[i].close();
            }
        }
    }
}
