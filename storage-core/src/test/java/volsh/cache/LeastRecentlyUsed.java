package volsh.cache;

import java.util.LinkedHashMap;

/** The cache everybody knows, to compare with. Counts frames, all of one size. */
final class LeastRecentlyUsed {
    private final int room;
    private final LinkedHashMap<FrameKey, Boolean> frames = new LinkedHashMap<>(16, 0.75f, true);

    LeastRecentlyUsed(int room) {
        this.room = room;
    }

    /** Was it there? Now it is. */
    boolean read(FrameKey key) {
        boolean hit = frames.put(key, true) != null;
        if (frames.size() > room) {
            frames.pollFirstEntry();
        }
        return hit;
    }
}
