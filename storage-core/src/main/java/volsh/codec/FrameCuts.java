package volsh.codec;

import java.util.Arrays;

/** Where frames begin: at every given start, and after each {@link BlockCodec#FRAME_LENGTH} bytes without one. */
final class FrameCuts {
    private FrameCuts() {}

    /** The raw lengths of the frames. Starts ascend and lie within the block; 0 is always one. */
    static int[] lengths(int rawLength, int[] starts) {
        check(rawLength, starts);
        var lengths = new int[framesMax(rawLength, starts.length)];
        int frames = 0;
        for (int at = 0, next = 0; at < rawLength; at += lengths[frames - 1]) {
            while (next < starts.length && starts[next] <= at) {
                next++;
            }
            int end = next < starts.length ? starts[next] : rawLength;
            lengths[frames++] = Math.min(end - at, BlockCodec.FRAME_LENGTH);
        }
        return Arrays.copyOf(lengths, frames);
    }

    private static void check(int rawLength, int[] starts) {
        for (int i = 0; i < starts.length; i++) {
            if (starts[i] < 0 || starts[i] >= rawLength || i > 0 && starts[i] <= starts[i - 1]) {
                throw new IllegalArgumentException(
                        "frame starts ascend within %d: %s".formatted(rawLength, Arrays.toString(starts)));
            }
        }
    }

    static int framesMax(int rawLength, int starts) {
        return (rawLength + BlockCodec.FRAME_LENGTH - 1) / BlockCodec.FRAME_LENGTH + starts;
    }
}
