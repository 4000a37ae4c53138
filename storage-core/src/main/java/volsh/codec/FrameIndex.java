package volsh.codec;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Where the frames of a stored block lie: enough to read any raw range with a single ranged get. Immutable.
 *
 * <p>Raw offsets count in the bytes that were encoded, stored offsets in the object. Frames lie back to back in both.
 */
public final class FrameIndex {
    private static final int UNIFORM = 1;
    private static final int EXPLICIT = 2;

    private final int[] rawEnds;
    private final int[] storedEnds;

    private FrameIndex(int[] rawEnds, int[] storedEnds) {
        this.rawEnds = rawEnds;
        this.storedEnds = storedEnds;
    }

    /**
     * An index of frames with these raw and payload lengths.
     *
     * @throws CorruptBlockException if no block can have them
     */
    static FrameIndex of(int[] rawLengths, int[] payloadLengths) throws CorruptBlockException {
        int frames = rawLengths.length;
        var rawEnds = new int[frames];
        var storedEnds = new int[frames];
        int raw = 0;
        int stored = BlockHead.length(frames);
        for (int i = 0; i < frames; i++) {
            check(i, rawLengths[i], payloadLengths[i], raw);
            rawEnds[i] = raw += rawLengths[i];
            storedEnds[i] = stored += FrameHeader.LENGTH + payloadLengths[i];
        }
        if (frames == 0) {
            throw new CorruptBlockException("frame index without frames");
        }
        return new FrameIndex(rawEnds, storedEnds);
    }

    /** The index of a lost block of {@code rawSize} raw bytes: it keeps the size, and takes next to nothing. */
    public static FrameIndex ofLost(int rawSize) throws CorruptBlockException {
        int frames = (rawSize - 1) / BlockLimits.FRAME_LENGTH_MAX + 1;
        var rawLengths = new int[frames];
        Arrays.fill(rawLengths, BlockLimits.FRAME_LENGTH_MAX);
        rawLengths[frames - 1] = rawSize - (frames - 1) * BlockLimits.FRAME_LENGTH_MAX;
        var payloadLengths = new int[frames];
        Arrays.fill(payloadLengths, 1);
        return of(rawLengths, payloadLengths);
    }

    /** The index of a block of {@code rawSize} raw bytes in uncompressed frames, each longer by {@code overhead}. */
    static FrameIndex ofRaw(int rawSize, int overhead) throws CorruptBlockException {
        int[] lengths = rawSize < 1 || rawSize > BlockLimits.RAW_LENGTH_MAX ? new int[0]
                : FrameCuts.lengths(rawSize, new int[0]);
        return of(lengths, Arrays.stream(lengths).map(length -> length + overhead).toArray());
    }

    private static void check(int frame, int raw, int payload, int before) throws CorruptBlockException {
        boolean possible = raw > 0 && raw <= BlockLimits.FRAME_LENGTH_MAX && payload > 0
                && (payload <= raw || payload == raw + FrameCipher.OVERHEAD);
        if (!possible || raw > BlockLimits.RAW_LENGTH_MAX - before) {
            throw new CorruptBlockException("impossible frame %d: raw %d stored %d".formatted(frame, raw, payload));
        }
    }

    public int frameCount() {
        return rawEnds.length;
    }

    public int rawOffset(int frame) {
        return frame == 0 ? 0 : rawEnds[frame - 1];
    }

    public int rawLength(int frame) {
        return rawEnds[frame] - rawOffset(frame);
    }

    /** Where the frame, its header first, begins in the stored object. */
    public int storedOffset(int frame) {
        return frame == 0 ? BlockHead.length(frameCount()) : storedEnds[frame - 1];
    }

    /** Bytes of the frame in the stored object, its header included. */
    public int storedLength(int frame) {
        return storedEnds[frame] - storedOffset(frame);
    }

    public int rawSize() {
        return rawEnds[rawEnds.length - 1];
    }

    public int storedSize() {
        return storedEnds[storedEnds.length - 1];
    }

    /** The frame that holds the raw byte at {@code rawOffset}. */
    public int frameAt(long rawOffset) {
        if (rawOffset < 0 || rawOffset >= rawSize()) {
            throw new IndexOutOfBoundsException("offset %d of a block of %d".formatted(rawOffset, rawSize()));
        }
        int found = Arrays.binarySearch(rawEnds, (int) rawOffset);
        return found >= 0 ? found + 1 : -found - 1;
    }

    /** Whether these frames are stored uncompressed, and not encrypted. */
    public boolean isRaw(int first, int last) {
        for (int i = first; i <= last; i++) {
            if (payloadLength(i) != rawLength(i)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Where in the stored object the raw byte at {@code rawOffset} lies, given that its {@link #isRaw frame is raw}.
     */
    public int storedAt(int rawOffset) {
        int frame = frameAt(rawOffset);
        return storedOffset(frame) + FrameHeader.LENGTH + rawOffset - rawOffset(frame);
    }

    int payloadLength(int frame) {
        return storedLength(frame) - FrameHeader.LENGTH;
    }

    /** A compact form: about 70 bytes for 4 MiB in frames of 128 KiB. */
    public byte[] toBytes() {
        var bytes = new ByteArrayOutputStream(16 + 2 * frameCount());
        boolean uniform = isUniform();
        bytes.write(uniform ? UNIFORM : EXPLICIT);
        Varint.write(bytes, uniform ? rawSize() : frameCount());
        if (uniform) {
            Varint.write(bytes, rawLength(0));
        }
        int previous = 0;
        for (int i = 0; i < frameCount(); i++) {
            if (!uniform) {
                Varint.write(bytes, rawLength(i));
            }
            Varint.writeSigned(bytes, payloadLength(i) - previous);
            previous = payloadLength(i);
        }
        return bytes.toByteArray();
    }

    private boolean isUniform() {
        for (int i = 1; i < frameCount() - 1; i++) {
            if (rawLength(i) != rawLength(0)) {
                return false;
            }
        }
        return rawLength(frameCount() - 1) <= rawLength(0);
    }

    /** Reads what {@link #toBytes} wrote. @throws CorruptBlockException for anything no block can have */
    public static FrameIndex parse(byte[] bytes) throws CorruptBlockException {
        var source = ByteBuffer.wrap(bytes);
        int kind = Varint.read(source);
        int[] rawLengths = switch (kind) {
            case UNIFORM -> uniformLengths(Varint.read(source), Varint.read(source), source.remaining());
            case EXPLICIT -> new int[bounded(Varint.read(source), source.remaining())];
            default -> throw new CorruptBlockException("frame index of unknown kind " + kind);
        };
        var payloadLengths = new int[rawLengths.length];
        for (int i = 0, previous = 0; i < rawLengths.length; i++) {
            rawLengths[i] = kind == EXPLICIT ? Varint.read(source) : rawLengths[i];
            payloadLengths[i] = previous += Varint.readSigned(source);
        }
        if (source.hasRemaining()) {
            throw new CorruptBlockException("frame index has %d extra bytes".formatted(source.remaining()));
        }
        return of(rawLengths, payloadLengths);
    }

    private static int[] uniformLengths(int rawSize, int frameLength, int available) throws CorruptBlockException {
        if (rawSize <= 0 || rawSize > BlockLimits.RAW_LENGTH_MAX || frameLength <= 0 || frameLength > rawSize) {
            throw new CorruptBlockException("impossible frame index: raw %d frame %d".formatted(rawSize, frameLength));
        }
        var lengths = new int[bounded((rawSize - 1) / frameLength + 1, available)];
        Arrays.fill(lengths, frameLength);
        lengths[lengths.length - 1] = rawSize - (lengths.length - 1) * frameLength;
        return lengths;
    }

    /** Every frame takes at least a byte of the index: nothing larger than the input is ever allocated. */
    private static int bounded(int frames, int available) throws CorruptBlockException {
        if (frames <= 0 || frames > available || frames > BlockLimits.FRAMES_MAX) {
            throw new CorruptBlockException("frame index of %d frames in %d bytes".formatted(frames, available));
        }
        return frames;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FrameIndex that
                && Arrays.equals(rawEnds, that.rawEnds)
                && Arrays.equals(storedEnds, that.storedEnds);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(rawEnds) + Arrays.hashCode(storedEnds);
    }

    @Override
    public String toString() {
        return "%d frames, raw %d, stored %d".formatted(frameCount(), rawSize(), storedSize());
    }
}
