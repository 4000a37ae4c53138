package volsh.codec;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/** Blocks to test with: raw bytes of every compressibility, encoded under an identity. */
record Sample(BlockIdentity identity, ByteBuffer raw, EncodedBlock block) {
    static final List<Compression> COMPRESSIONS =
            List.of(new Compression.None(), new Compression.Lz4(), new Compression.Zstd(1), new Compression.Zstd(3),
                    new Compression.Planes(1));

    static Sample of(BlockCodec codec, Random random, int length, Compression compression, int... starts) {
        var identity = new BlockIdentity(new UUID(random.nextLong(), random.nextLong()), random.nextLong());
        return of(codec, identity, bytes(random, length), compression, starts);
    }

    static Sample of(BlockCodec codec, BlockIdentity identity, ByteBuffer raw, Compression compression, int... starts) {
        var target = ByteBuffer.allocateDirect(BlockCodec.maxStoredSize(raw.remaining(), starts.length));
        return new Sample(identity, raw, codec.encode(identity, compression, raw, starts, target));
    }

    /** The same raw bytes, put in their places and sealed there. */
    static EncodedBlock sealed(BlockCodec codec, Sample sample) {
        int length = sample.raw().remaining();
        var target = ByteBuffer.allocateDirect(7 + BlockCodec.maxStoredSize(length)).position(7);
        int at = 0;
        for (var place : codec.places(length, target)) {
            int size = place.remaining();
            place.put(sample.rawRange(at, at + size));
            at += size;
        }
        return codec.seal(sample.identity(), length, target);
    }

    /** Runs of text, zeros, noise and floats, changing every few thousand bytes. */
    static ByteBuffer bytes(Random random, int length) {
        var bytes = ByteBuffer.allocateDirect(length);
        while (bytes.hasRemaining()) {
            var run = new byte[Math.min(bytes.remaining(), 1 + random.nextInt(200_000))];
            switch (random.nextInt(4)) {
                case 0 -> random.nextBytes(run);
                case 1 -> {}
                case 2 -> floats(random, run, 2 + 2 * random.nextInt(2));
                default -> words(random, run);
            }
            bytes.put(run);
        }
        return bytes.flip();
    }

    /**
     * Weights as a model has them: floats of four bytes or their upper two, lowest byte first; what is over stays zero.
     */
    static void floats(Random random, byte[] run, int width) {
        for (int i = 0; i + width <= run.length; i += width) {
            int bits = Float.floatToIntBits((float) (random.nextGaussian() * 0.02)) >>> 8 * (4 - width);
            for (int k = 0; k < width; k++) {
                run[i + k] = (byte) (bits >>> 8 * k);
            }
        }
    }

    private static void words(Random random, byte[] run) {
        for (int i = 0; i < run.length; i++) {
            run[i] = (byte) ('a' + (random.nextInt(4) == 0 ? random.nextInt(26) : i % 7));
        }
    }

    /** The stored bytes in a buffer of their own, to be damaged. */
    ByteBuffer copy() {
        return copy(block.stored());
    }

    static ByteBuffer copy(ByteBuffer bytes) {
        return ByteBuffer.allocateDirect(bytes.remaining()).put(bytes.duplicate()).flip();
    }

    /** The raw range, decoded from {@code stored} by the sample's index, as a reader with the metadata's index does. */
    ByteBuffer decode(BlockCodec codec, ByteBuffer stored, int from, int to) throws CorruptBlockException {
        FrameIndex index = block.index();
        int first = index.frameAt(from);
        int begin = Math.min(index.storedOffset(first), stored.limit());
        var target = ByteBuffer.allocateDirect(to - from);
        codec.decode(identity, index, first, stored.slice(begin, stored.limit() - begin), from, to, target);
        return target.flip();
    }

    ByteBuffer rawRange(int from, int to) {
        return raw.slice(from, to - from);
    }
}
