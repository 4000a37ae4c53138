package volsh.pack;

import java.io.IOException;
import volsh.chunk.Chunks;
import volsh.meta.Reclaim;

/**
 * Frees unlinked files and deletes blocks that no row names. An object goes only after the metadata that let go of it
 * survives power loss, and, where metadata is shipped, the loss of this host: else rows could come back that name a
 * deleted block.
 */
public final class Reclaimer {
    private static final int BATCH = 200;

    private final Reclaim reclaim;
    private final Durable durable;
    private final Chunks chunks;

    public Reclaimer(Reclaim reclaim, Durable durable, Chunks chunks) {
        this.reclaim = reclaim;
        this.durable = durable;
        this.chunks = chunks;
    }

    /** Waits until what is committed can no longer come undone. */
    public interface Durable {
        void await() throws IOException;
    }

    /**
     * What was given back.
     *
     * @param freed whether rows of the metadata were deleted
     * @param more whether there is more to do
     */
    public record Reclaimed(long blocks, long bytes, boolean freed, boolean more) {}

    /** Whether something waits to be reclaimed, now or when no session can need it any more. */
    public boolean hasMore() throws IOException {
        return reclaim.hasMore();
    }

    /**
     * Works until nothing is left or {@code deadlineNanos} (of {@link System#nanoTime}) has passed; what is left waits
     * for the next run.
     */
    public Reclaimed run(long deadlineNanos) throws IOException {
        long blocks = 0;
        long bytes = 0;
        boolean freed = false;
        while (System.nanoTime() < deadlineNanos && reclaim.freeOrphans()) {   // one batch at a time
            freed = true;
        }
        while (System.nanoTime() < deadlineNanos) {
            var dead = reclaim.dead(BATCH);
            if (dead.isEmpty()) {
                break;
            }
            durable.await();
            chunks.deleteAll(dead.stream().map(block -> block.block().id()).toList());
            blocks += dead.size();
            bytes += dead.stream().mapToLong(block -> block.block().ownBytes()).sum();
            reclaim.forget(dead);
        }
        return new Reclaimed(blocks, bytes, freed || blocks > 0, System.nanoTime() >= deadlineNanos);
    }
}
