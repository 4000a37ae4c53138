package volsh.cache;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The answer of a cache that is asked for a frame. */
public sealed interface Answer {
    /** The frame is in the cache. Close the lease. */
    record Here(FrameLease lease) implements Answer {}

    /**
     * The frame is missing, and the caller has to load it, as other threads may be waiting. Close the room, filled or
     * not.
     */
    record Missing(Room room) implements Answer {}

    /**
     * Another thread is loading the frame. To be awaited only after the caller loaded all frames it has to load itself.
     */
    record Coming(MemoryCache cache, CachedFrame frame) implements Answer {
        /** Waits for the frame; null if it could not be loaded. */
        public @Nullable FrameLease await() throws IOException {
            try {
                frame.await();
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while reading");
            }
            return cache.lease(frame);
        }
    }

    /** The frame is missing, and the cache has no room for it. */
    record Unwanted() implements Answer {
        static final Unwanted INSTANCE = new Unwanted();
    }

    /** The memory for a missing frame. */
    final class Room implements AutoCloseable {
        private final MemoryCache cache;
        private final CachedFrame frame;
        private boolean done;

        Room(MemoryCache cache, CachedFrame frame) {
            this.cache = cache;
            this.frame = frame;
        }

        /**
         * Memory of exactly the frame's raw length, off-heap and page-aligned. Only the caller sees it until it is
         * filled.
         */
        public ByteBuffer target() {
            return frame.bytes().duplicate();
        }

        /** Publishes the frame, which has all its bytes and passed its checks; the caller gets a lease. */
        public FrameLease filled() {
            done = true;
            frame.complete();
            return new FrameLease(cache, frame);
        }

        /** The same for bytes that were written by this process and not loaded. */
        public FrameLease filledHere() {
            frame.markOwn();
            return filled();
        }

        /** Returns the room if it was not filled: waiting threads learn that the frame will not come. */
        @Override
        public void close() {
            if (!done) {
                done = true;
                cache.abandon(frame);
            }
        }
    }
}
