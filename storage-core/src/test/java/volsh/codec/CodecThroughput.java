package volsh.codec;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.UUID;

/** What encoding and decoding cost one core: run it, read the table. Half of the data compresses, half is noise. */
final class CodecThroughput {
    private static final int LENGTH = 4 << 20;
    private static final int ROUNDS = 100;

    private CodecThroughput() {}

    public static void main(String[] arguments) throws Exception {
        System.out.printf("%-8s %8s %12s %12s %12s%n", "codec", "ratio", "encode GB/s", "decode GB/s", "verify GB/s");
        try (var codec = new BlockCodec()) {
            for (int warm = 0; warm < 2; warm++) {
                for (String name : new String[] {"none", "lz4", "zstd:1", "zstd:3"}) {
                    measure(codec, Compression.of(name), warm == 1);
                }
            }
        }
    }

    private static void measure(BlockCodec codec, Compression compression, boolean print) throws Exception {
        var identity = new BlockIdentity(new UUID(1, 2), 3);
        ByteBuffer raw = data();
        var target = ByteBuffer.allocateDirect(BlockCodec.maxStoredSize(LENGTH));
        var decoded = ByteBuffer.allocateDirect(LENGTH);
        EncodedBlock block = codec.encode(identity, compression, raw, target);
        double encode = rate(() -> codec.encode(identity, compression, raw, target));
        ByteBuffer frames = block.stored()
                .slice(block.index().storedOffset(0), block.stored().limit() - block.index().storedOffset(0));
        double decode = rate(() -> codec.decode(identity, block.index(), 0, frames, 0, LENGTH, decoded.clear()));
        double verify = rate(() -> codec.verify(identity, block.stored()));
        if (print) {
            double ratio = (double) LENGTH / block.index().storedSize();
            System.out.printf("%-8s %8.2f %12.2f %12.2f %12.2f%n", compression, ratio, encode, decode, verify);
        }
    }

    private static double rate(Step step) throws Exception {
        long start = System.nanoTime();
        for (int i = 0; i < ROUNDS; i++) {
            step.run();
        }
        return (double) LENGTH * ROUNDS / (System.nanoTime() - start);
    }

    private static ByteBuffer data() {
        var random = new Random(1);
        var raw = ByteBuffer.allocateDirect(LENGTH);
        for (int frame = 0; frame < LENGTH / BlockCodec.FRAME_LENGTH; frame++) {
            var bytes = new byte[BlockCodec.FRAME_LENGTH];
            random.nextBytes(bytes);
            for (int i = 0; frame % 2 == 0 && i < bytes.length; i++) {
                bytes[i] = (byte) (i % 4 == 0 ? bytes[i] : "the of a in".charAt(i * 7 % 11));
            }
            raw.put(bytes);
        }
        return raw.flip();
    }

    private interface Step {
        void run() throws Exception;
    }
}
