package volsh.cache;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** What a cache says when it is asked for a frame. */
public sealed interface Answer {
    /** It is here. Close the lease. */
    record Here(FrameLease lease) implements Answer {}

    /** It is missing, and the caller has to load it: others may be waiting. Close the room, filled or not. */
    record Missing(Room room) implements Answer {}

    /** Somebody else is loading it. Wait for it only when everything one has to load oneself is loaded. */
    record Coming(MemoryCache cache, CachedFrame frame) implements Answer {
        /** Waits; null if it could not be loaded. */
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

    /** It is missing, and there is no room for it. */
    record Unwanted() implements Answer {
        static final Unwanted INSTANCE = new Unwanted();
    }

    /** Where a missing frame is to be put. */
    final class Room implements AutoCloseable {
        private final MemoryCache cache;
        private final CachedFrame frame;
        private boolean done;

        Room(MemoryCache cache, CachedFrame frame) {
            this.cache = cache;
            this.frame = frame;
        }

        /** Memory of exactly the frame's raw length, off-heap and page-aligned. Only the caller sees it until it is filled. */
        public ByteBuffer target() {
            return frame.bytes().duplicate();
        }

        /** All bytes are there, and right. Everybody may have them; the caller has a lease. */
        public FrameLease filled() {
            done = true;
            frame.complete();
            return new FrameLease(cache, frame);
        }

        /** The same of bytes that were written here, and came from nowhere. */
        public FrameLease filledHere() {
            frame.markOwn();
            return filled();
        }

        /** Gives the room back if it was not filled: who waits learns that the frame does not come. */
        @Override
        public void close() {
            if (!done) {
                done = true;
                cache.abandon(frame);
            }
        }
    }
}
