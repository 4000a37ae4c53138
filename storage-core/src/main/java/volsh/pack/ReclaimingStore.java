package volsh.pack;

import java.io.IOException;
import java.nio.ByteBuffer;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.Forwarding;
import volsh.care.Housekeeping;
import volsh.fs.NoSpaceException;

/**
 * A store that is full gives back at once what was deleted, instead of at the next turn of {@link Housekeeping}; then
 * the put is tried again. So a program that removes files on a full store can write as soon as it has.
 */
public record ReclaimingStore(BlockStore delegate, Room room) implements Forwarding {
    private static final int ATTEMPTS = 20;

    /** Gives back what was deleted. */
    public interface Room {
        /** Whether there is more room than before. */
        boolean make() throws IOException;
    }

    @Override
    public void put(BlockKey key, ByteBuffer data) throws IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                delegate.put(key, data.duplicate());
                return;
            } catch (IOException full) {
                if (attempt == ATTEMPTS || !NoSpaceException.isBehind(full) || !hasMadeRoom(full)) {
                    throw full;
                }
            }
        }
    }

    /** The store's own failure is the one to tell. */
    private boolean hasMadeRoom(IOException full) {
        try {
            return room.make();
        } catch (IOException | RuntimeException failed) {
            full.addSuppressed(failed);
            return false;
        }
    }
}
