package volsh.vfs;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The ticks of past states that are needed here. An open file holds the tick that was running when it was opened: no
 * block that died in that tick or later is deleted. A hold of an open file may {@link #move} to a later tick once the
 * file needs nothing older; a hold without a file stays until it is released. Thread-safe.
 */
final class HeldTicks {
    private final TreeMap<Long, Set<Hold>> holds = new TreeMap<>();
    private long running;

    /** One hold. Its fields are guarded by the owner. */
    static final class Hold {
        private long tick;
        private @Nullable OpenFile file;   // null if it cannot move
        private boolean released;

        private Hold(long tick) {
            this.tick = tick;
        }
    }

    /** A hold that may move, and its file. */
    record Movable(Hold hold, OpenFile file) {}

    synchronized Hold take() {
        var hold = new Hold(running);
        add(hold);
        return hold;
    }

    /** The hold is that of an open file, and may move from now on. */
    synchronized void belongs(Hold hold, OpenFile file) {
        hold.file = file;
    }

    synchronized void release(Hold hold) {
        remove(hold);
        hold.released = true;
    }

    /** Nothing before {@code tick} is needed for the file of this hold any more. */
    synchronized void move(Hold hold, long tick) {
        if (!hold.released && tick > hold.tick) {
            remove(hold);
            hold.tick = tick;
            add(hold);
        }
    }

    private void add(Hold hold) {
        holds.computeIfAbsent(hold.tick, absent -> new HashSet<>()).add(hold);
    }

    private void remove(Hold hold) {
        holds.computeIfPresent(hold.tick, (tick, some) -> some.remove(hold) && some.isEmpty() ? null : some);
    }

    /** Later calls of {@link #take} hold {@code tick}, which no later change can be before. */
    synchronized void advance(long tick) {
        running = Math.max(running, tick);
    }

    /** The oldest tick that is held; if none is, the running one. */
    synchronized long oldest() {
        return holds.isEmpty() ? running : holds.firstKey();
    }

    /** Holds on ticks before this one that may move, the oldest first. */
    synchronized List<Movable> before(long tick, int limit) {
        var found = new ArrayList<Movable>();
        for (var some : holds.headMap(tick).values()) {
            for (var hold : some) {
                if (found.size() == limit) {
                    return found;
                }
                if (hold.file != null) {
                    found.add(new Movable(hold, hold.file));
                }
            }
        }
        return found;
    }
}
