package volsh.cache.disk;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Copies of frames of a block, back to back in {@code bytes}, to be written to the disk. */
record Fill(long block, int frameCount, List<Part> frames, ByteBuffer bytes) {
    /** One frame, and where it lies in the bytes. */
    record Part(int frame, int start, int length) {}

    /** Null if there is nothing to copy, or no memory for it. */
    static @Nullable Fill of(FillBuffers buffers, long block, int frameCount, int first,
            @Nullable ByteBuffer[] stored) {
        var parts = new ArrayList<Part>();
        int length = 0;
        for (int i = 0; i < stored.length; i++) {
            if (stored[i] != null) {
                parts.add(new Part(first + i, length, stored[i].remaining()));
                length += stored[i].remaining();
            }
        }
        var bytes = length == 0 || frameCount > BlockFile.FRAMES_MAX ? null : buffers.take(length);
        if (bytes == null) {
            return null;
        }
        int at = 0;
        for (var frame : stored) {
            if (frame != null) {
                bytes.put(at, frame, frame.position(), frame.remaining());
                at += frame.remaining();
            }
        }
        return new Fill(block, frameCount, parts, bytes);
    }

    /** For frames that already lie back to back in {@code stored}, and stay there until they are written. */
    static Fill lying(long block, int frameCount, int first, int[] lengths, ByteBuffer stored) {
        var parts = new ArrayList<Part>();
        int start = 0;
        for (int i = 0; i < lengths.length; i++) {
            parts.add(new Part(first + i, start, lengths[i]));
            start += lengths[i];
        }
        return new Fill(block, frameCount, parts, stored.slice(stored.position(), start));
    }

    static int count(@Nullable ByteBuffer[] stored) {
        int count = 0;
        for (var frame : stored) {
            count += frame == null ? 0 : 1;
        }
        return count;
    }

    /** The bytes that its frames take on the disk. */
    int room() {
        return frames.stream().mapToInt(part -> BlockFile.room(part.length())).sum();
    }

    ByteBuffer part(Part part) {
        return bytes.slice(part.start(), part.length());
    }
}
