package volsh.codec;

import java.nio.ByteBuffer;

/**
 * A block that is encoded frame by frame as its bytes arrive, while they are still in the cache of the processor. Used
 * by one thread at a time; close it, whether it was finished or not.
 */
public final class BlockDraft implements AutoCloseable {
    private static final Compression AS_IT_IS = new Compression.None();

    private final BlockCodec codec;
    private final Workbench bench;
    private final BlockIdentity identity;
    private final Compression compression;
    private final int[] rawLengths;
    private final int[] payloadLengths;
    private final ByteBuffer stored;
    private int frame;
    private int rawAt;
    private int end;
    private boolean stubborn;

    BlockDraft(BlockCodec codec, Workbench bench, BlockIdentity identity, Compression compression, int[] rawLengths,
            ByteBuffer stored) {
        this.codec = codec;
        this.bench = bench;
        this.identity = identity;
        this.compression = compression;
        this.rawLengths = rawLengths;
        this.payloadLengths = new int[rawLengths.length];
        this.stored = stored;
        this.end = BlockHead.length(rawLengths.length);
    }

    /** Raw bytes of the next frame; 0 if there is none. */
    public int next() {
        return frame == rawLengths.length ? 0 : rawLengths[frame];
    }

    /** Encodes the next frame: exactly {@link #next} remaining bytes of a direct buffer, whose position stays. */
    public void add(ByteBuffer raw) {
        if (raw.remaining() != next() || next() == 0) {
            throw new IllegalArgumentException("frame %d has %d bytes, not %d".formatted(frame, next(),
                    raw.remaining()));
        }
        ByteBuffer source = BlockCodec.direct(raw).slice();
        ByteBuffer room = stored.slice(end, stored.limit() - end);
        boolean futile = stubborn && bench.looksFutile(compression, source, room);
        int payload = bench.encode(identity, frame, rawAt, futile ? AS_IT_IS : compression, source, room);
        stubborn = payload - bench.overhead() == rawLengths[frame];
        rawAt += rawLengths[frame];
        payloadLengths[frame++] = payload;
        end += FrameHeader.LENGTH + payload;
    }

    /** The block, after all its frames were added. */
    public EncodedBlock finish() {
        if (next() != 0) {
            throw new IllegalStateException("only %d of %d frames were added".formatted(frame, rawLengths.length));
        }
        FrameIndex index = index();
        BlockHead.write(stored, identity, FrameMethod.of(compression), index, bench.overhead() > 0);
        return new EncodedBlock(stored.slice(0, end), index);
    }

    private FrameIndex index() {
        try {
            return FrameIndex.of(rawLengths, payloadLengths);
        } catch (CorruptBlockException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @Override
    public void close() {
        codec.giveBack(bench);
    }
}
