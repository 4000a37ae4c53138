package volsh.codec;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Encodes raw bytes as a stored block and decodes any part of it again. All buffers are direct and belong to the
 * caller; every byte is copied or (de)compressed once, from the one buffer into the other.
 *
 * <p>Decoding hands out exactly the bytes that were encoded or throws {@link CorruptBlockException}. A failed call may
 * leave anything between the target's position and limit, but not its position moved.
 *
 * <p>Thread-safe; native code runs on the calling thread. Holds compressor state for as many threads as ever worked at
 * the same time, until closed.
 */
public final class BlockCodec implements AutoCloseable {
    /** Raw bytes of a frame, unless one begins or the block ends sooner: 128 KiB. */
    public static final int FRAME_LENGTH = 128 << 10;

    /** Raw bytes a block may have. */
    public static final int RAW_LENGTH_MAX = BlockLimits.RAW_LENGTH_MAX;

    private static final int[] NO_STARTS = {};
    /** How much a compressor may enlarge a frame before it is written raw instead. */
    private static final int WORST_GROWTH = 1024;

    private final ConcurrentLinkedDeque<Workbench> idle = new ConcurrentLinkedDeque<>();
    private final Supplier<FrameChecksum> checksums;
    private final FrameEncryption encryption;
    private volatile boolean closed;

    /** For blocks that are not encrypted. */
    public BlockCodec() {
        this(FrameEncryption.NONE);
    }

    public BlockCodec(FrameEncryption encryption) {
        this(FrameChecksum::new, encryption);
    }

    BlockCodec(Supplier<FrameChecksum> checksums, FrameEncryption encryption) {
        this.checksums = checksums;
        this.encryption = encryption;
    }

    /** Room that {@link #encode} needs in its target for this many raw bytes. */
    public static int maxStoredSize(int rawLength) {
        return maxStoredSize(rawLength, 0);
    }

    /** Room that {@link #encode} needs in its target for this many raw bytes with this many frame starts. */
    public static int maxStoredSize(int rawLength, int frameStarts) {
        int frames = FrameCuts.framesMax(rawLength, frameStarts);
        return BlockHead.length(frames) + frames * (FrameHeader.LENGTH + FrameCipher.OVERHEAD) + rawLength
                + WORST_GROWTH;
    }

    /** Bytes at the front of a stored block that {@link #headLength} needs. */
    public static int headerLength() {
        return BlockHead.HEADER_LENGTH;
    }

    /** Encodes with frames of the default length. */
    public EncodedBlock encode(BlockIdentity identity, Compression compression, ByteBuffer raw, ByteBuffer target) {
        return encode(identity, compression, raw, NO_STARTS, target);
    }

    /**
     * Encodes the remaining bytes of {@code raw} into {@code target} from its position on; moves neither position. A
     * frame starts at each of the raw offsets {@code frameStarts}, which ascend, so that what begins there can be read
     * without its neighbours.
     */
    public EncodedBlock encode(
            BlockIdentity identity, Compression compression, ByteBuffer raw, int[] frameStarts, ByteBuffer target) {
        ByteBuffer source = direct(raw).slice();
        checkRoom(source.limit(), frameStarts.length, target.remaining());
        try (var draft = draft(identity, compression, FrameCuts.lengths(source.limit(), frameStarts), target)) {
            for (int at = 0, length = draft.next(); length > 0; at += length, length = draft.next()) {
                draft.add(source.slice(at, length));
            }
            return draft.finish();
        }
    }

    /**
     * Encodes {@code rawLength} bytes into {@code target} from its position on, with frames of the default length.
     * Frames are encoded as they are added to the draft.
     */
    public BlockDraft draft(BlockIdentity identity, Compression compression, int rawLength, ByteBuffer target) {
        checkRoom(rawLength, 0, target.remaining());
        return draft(identity, compression, FrameCuts.lengths(rawLength, NO_STARTS), target);
    }

    private BlockDraft draft(BlockIdentity identity, Compression compression, int[] rawLengths, ByteBuffer target) {
        return new BlockDraft(this, take(), identity, compression, rawLengths, direct(target).slice());
    }

    /**
     * Where in {@code target} the raw bytes of each frame go if a block is to be {@link #seal sealed} there: raw bytes
     * that are written to these places are never copied. The frames have the default length.
     */
    public List<ByteBuffer> places(int rawLength, ByteBuffer target) {
        checkRoom(rawLength, 0, target.remaining());
        var index = rawIndex(rawLength);
        return IntStream.range(0, index.frameCount()).mapToObj(frame -> target.slice(
                target.position() + index.storedOffset(frame) + FrameHeader.LENGTH, index.rawLength(frame))).toList();
    }

    /** Makes an uncompressed block of raw bytes that are in their {@link #places}. */
    public EncodedBlock seal(BlockIdentity identity, int rawLength, ByteBuffer target) {
        checkRoom(rawLength, 0, target.remaining());
        ByteBuffer stored = direct(target).slice();
        var index = rawIndex(rawLength);
        Workbench bench = take();
        try {
            for (int i = 0; i < index.frameCount(); i++) {
                bench.seal(identity, i, index.rawOffset(i), stored.slice(index.storedOffset(i), index.storedLength(i)));
            }
        } finally {
            giveBack(bench);
        }
        BlockHead.write(stored, identity, FrameMethod.RAW, index, encryption.isOn());
        return new EncodedBlock(stored.slice(0, index.storedSize()), index);
    }

    private FrameIndex rawIndex(int rawLength) {
        try {
            return framedIndex(rawLength);
        } catch (CorruptBlockException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static void checkRoom(int rawLength, int frameStarts, int room) {
        if (rawLength == 0 || rawLength > RAW_LENGTH_MAX) {
            throw new IllegalArgumentException("a block holds 1 to %d bytes: %d".formatted(RAW_LENGTH_MAX, rawLength));
        }
        if (room < maxStoredSize(rawLength, frameStarts)) {
            throw new IllegalArgumentException("%d raw bytes may need more than %d".formatted(rawLength, room));
        }
    }

    /** Bytes of header and index, from the header alone: the first {@link #headerLength} bytes of the stored block. */
    public static int headLength(BlockIdentity expected, ByteBuffer header) throws CorruptBlockException {
        return BlockHead.checkHeader(expected, header.slice());
    }

    /** Reads the index from the front of a stored block; {@code head} may hold more than that, not less. */
    public static FrameIndex open(BlockIdentity expected, ByteBuffer head) throws CorruptBlockException {
        return BlockHead.read(expected, head.slice());
    }

    /**
     * Decodes one frame: {@code stored} remains exactly the frame with its header. Moves the target's position behind
     * it.
     */
    public void decodeFrame(BlockIdentity identity, int frame, FrameIndex index, ByteBuffer stored, ByteBuffer target)
            throws CorruptBlockException {
        int from = index.rawOffset(frame);
        decode(identity, index, frame, stored, from, from + index.rawLength(frame), target);
    }

    /**
     * Decodes the raw range {@code [from, to)}. {@code stored} begins with the header of {@code firstFrame} and holds
     * at least all frames up to the one with {@code to - 1}. Moves the target's position behind the range, and only it.
     */
    public void decode(
            BlockIdentity identity,
            FrameIndex index,
            int firstFrame,
            ByteBuffer stored,
            int from,
            int to,
            ByteBuffer target)
            throws CorruptBlockException {
        boolean within = index.rawOffset(firstFrame) <= from && from < to && to <= index.rawSize();
        if (!within || target.remaining() < to - from) {
            throw new IllegalArgumentException("range [%d, %d) from frame %d of %s into %d bytes"
                    .formatted(from, to, firstFrame, index, target.remaining()));
        }
        ByteBuffer frames = direct(stored).slice();
        ByteBuffer decoded = direct(target).slice();
        Workbench bench = take();
        try {
            for (int i = index.frameAt(from), last = index.frameAt(to - 1L); i <= last; i++) {
                var frame = new FrameEntry(identity, index, i);
                decodePart(bench, frame, cut(frame, frames, index.storedOffset(firstFrame)), from, to, decoded);
            }
        } finally {
            giveBack(bench);
        }
        target.position(target.position() + to - from);
    }

    /** The stored bytes of one frame out of {@code frames}, which begin at {@code base} of the object. */
    private static ByteBuffer cut(FrameEntry frame, ByteBuffer frames, int base) throws CorruptBlockException {
        int at = frame.storedOffset() - base;
        if (frames.limit() - at < frame.storedLength()) {
            throw frame.corrupt("cut short: %d of %d bytes", Math.max(frames.limit() - at, 0), frame.storedLength());
        }
        return frames.slice(at, frame.storedLength());
    }

    /**
     * Decodes what lies within {@code [from, to)} of one frame to its place in {@code decoded}, which begins at {@code
     * from}.
     */
    private static void decodePart(
            Workbench bench, FrameEntry frame, ByteBuffer stored, int from, int to, ByteBuffer decoded)
            throws CorruptBlockException {
        FrameMethod method = bench.check(frame, stored);
        int first = Math.max(from - frame.rawOffset(), 0);
        int length = Math.min(to - frame.rawOffset(), frame.rawLength()) - first;
        int at = frame.rawOffset() + first - from;
        if (length == frame.rawLength()) {
            bench.unpack(method, frame, stored, decoded, at);
        } else if (method == FrameMethod.RAW && frame.payloadLength() == frame.rawLength()) {
            decoded.put(at, stored, FrameHeader.LENGTH + first, length);
        } else {
            ByteBuffer room = bench.room(frame.rawLength());
            bench.unpack(method, frame, stored, room, 0);
            decoded.put(at, room, first, length);
        }
    }

    /**
     * Whether {@code stored}, in direct memory, is exactly this block, from its header to the end of its last frame.
     */
    public boolean isRight(BlockIdentity identity, FrameIndex index, ByteBuffer stored) {
        try {
            if (stored.remaining() != index.storedSize() || !open(identity, stored).equals(index)) {
                return false;
            }
            int head = index.storedOffset(0);
            check(identity, index, 0, index.frameCount() - 1,
                    stored.slice(stored.position() + head, stored.remaining() - head));
            return true;
        } catch (CorruptBlockException damaged) {
            return false;
        }
    }

    /**
     * Checks stored frames against their checksums, without decoding them. {@code stored} begins with {@code first}'s
     * header.
     */
    public void check(BlockIdentity identity, FrameIndex index, int first, int last, ByteBuffer stored)
            throws CorruptBlockException {
        ByteBuffer frames = direct(stored).slice();
        Workbench bench = take();
        try {
            for (int i = first; i <= last; i++) {
                var frame = new FrameEntry(identity, index, i);
                var _ = bench.check(frame, cut(frame, frames, index.storedOffset(first)));
            }
        } finally {
            giveBack(bench);
        }
    }

    /** The index of {@code rawSize} raw bytes that are not stored, but {@link #frame framed} when they are read. */
    public FrameIndex framedIndex(int rawSize) throws CorruptBlockException {
        return FrameIndex.ofRaw(rawSize, overhead());
    }

    private int overhead() {
        return encryption.isOn() ? FrameCipher.OVERHEAD : 0;
    }

    /**
     * Makes stored frames {@code first} to {@code last} of their raw bytes, uncompressed, and encrypted as all of the
     * volume are: the bytes lie at the end of {@code frames}, which is direct and as long as the frames will be.
     */
    public void frame(BlockIdentity identity, FrameIndex index, int first, int last, ByteBuffer frames) {
        ByteBuffer stored = direct(frames).slice();
        Workbench bench = take();
        try {
            int from = stored.limit() - (index.rawOffset(last) + index.rawLength(last) - index.rawOffset(first));
            for (int i = first, at = 0; i <= last; i++) {
                int length = index.rawLength(i);
                stored.put(at + FrameHeader.LENGTH, stored, from, length);   // to the left: it overwrites no other
                int end = at + FrameHeader.LENGTH + length + overhead();
                bench.seal(identity, i, index.rawOffset(i), stored.slice(at, end - at));
                at = end;
                from += length;
            }
        } finally {
            giveBack(bench);
        }
    }

    /** Checks a whole stored block, down to every frame's decompression; returns its index. For scrub. */
    public FrameIndex verify(BlockIdentity expected, ByteBuffer whole) throws CorruptBlockException {
        ByteBuffer stored = direct(whole).slice();
        FrameIndex index = BlockHead.read(expected, stored);
        if (stored.limit() != index.storedSize()) {
            throw new CorruptBlockException(
                    expected, "has %d bytes instead of %d".formatted(stored.limit(), index.storedSize()));
        }
        Workbench bench = take();
        try {
            for (int i = 0; i < index.frameCount(); i++) {
                var frame = new FrameEntry(expected, index, i);
                ByteBuffer bytes = cut(frame, stored, 0);
                bench.unpack(bench.check(frame, bytes), frame, bytes, bench.room(frame.rawLength()), 0);
            }
        } finally {
            giveBack(bench);
        }
        return index;
    }

    static ByteBuffer direct(ByteBuffer buffer) {
        if (!buffer.isDirect()) {
            throw new IllegalArgumentException("the codec works on direct buffers: " + buffer);
        }
        return buffer;
    }

    private Workbench take() {
        Workbench bench = idle.pollFirst();
        return bench == null ? new Workbench(checksums.get(), encryption) : bench;
    }

    void giveBack(Workbench bench) {
        idle.addFirst(bench);
        if (closed) {
            close();
        }
    }

    /** Frees compressor state. Calls still running finish, and free theirs. */
    @Override
    public void close() {
        closed = true;
        for (Workbench bench = idle.pollFirst(); bench != null; bench = idle.pollFirst()) {
            bench.close();
        }
    }
}
