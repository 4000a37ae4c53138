package volsh.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import volsh.codec.BlockCodec;
import volsh.codec.BlockIdentity;
import volsh.codec.Compression;
import volsh.unit.ByteSize;

/** Measures each compression on blocks of the user's files, in memory: what it saves and what it costs one core. */
public final class CompressBench {
    private static final List<String> KINDS = List.of("none", "lz4", "zstd:1", "zstd:3", "zstd:9", "planes:1");
    private static final BlockIdentity IDENTITY = new BlockIdentity(new UUID(0, 0), 1);
    private static final int FILES_MAX = 10_000;

    private CompressBench() {}

    /**
     * The result of one compression.
     *
     * @param raw    bytes of the samples
     * @param stored bytes after compression
     */
    public record Row(String compression, ByteSize raw, ByteSize stored, double writtenPerSecond,
            double readPerSecond) {
        public double ratio() {
            return (double) raw.bytes() / Math.max(1, stored.bytes());
        }
    }

    /** At most {@code limit} bytes of the files, cut in blocks. */
    public static List<Row> run(Path place, ByteSize block, ByteSize limit, BooleanSupplier stop, LongConsumer progress)
            throws IOException {
        return run(blocks(place, block, limit, stop), stop, progress);
    }

    /** Blocks that are in memory already, at least one. */
    public static List<Row> run(List<ByteBuffer> blocks, BooleanSupplier stop, LongConsumer progress)
            throws IOException {
        var rows = new ArrayList<Row>();
        for (String kind : KINDS) {
            measure(blocks, Compression.of(kind));      // warm-up for the compiler
            rows.add(measure(blocks, Compression.of(kind)));
            progress.accept(rows.getLast().raw().bytes());
            if (stop.getAsBoolean()) {
                break;
            }
        }
        return rows;
    }

    /** The best compression that still writes and reads this many bytes/s on a core; the fastest if none does. */
    public static Row recommended(List<Row> rows, double bytesPerSecond) {
        return rows.stream().filter(row -> Math.min(row.writtenPerSecond(), row.readPerSecond()) >= bytesPerSecond)
                .max(java.util.Comparator.comparingDouble(CompressBench::gain))
                .orElseGet(() -> rows.stream().max(java.util.Comparator.comparingDouble(Row::writtenPerSecond))
                        .orElseThrow());
    }

    /** Savings below a twentieth are not worth the CPU time. */
    private static double gain(Row row) {
        return row.ratio() < 1.05 ? row.compression().equals("none") ? 1.05 : 1 : row.ratio();
    }

    private static List<ByteBuffer> blocks(Path place, ByteSize block, ByteSize limit, BooleanSupplier stop)
            throws IOException {
        var blocks = new ArrayList<ByteBuffer>();
        long left = limit.bytes();
        for (Path file : Sources.below(place, FILES_MAX, stop)) {
            try (var in = FileChannel.open(file)) {
                while (left > 0) {
                    var raw = ByteBuffer.allocateDirect((int) Math.min(block.bytes(),
                            Math.min(left, in.size() - in.position())));
                    while (raw.hasRemaining() && in.read(raw) >= 0) {
                        // until it is full or the file ends
                    }
                    if (raw.position() == 0) {
                        break;
                    }
                    left -= raw.position();
                    blocks.add(raw.flip());
                }
            }
        }
        return blocks;
    }

    private static Row measure(List<ByteBuffer> blocks, Compression compression) throws IOException {
        long raw = 0;
        long stored = 0;
        long writing = 0;
        long reading = 0;
        int longest = blocks.stream().mapToInt(ByteBuffer::remaining).max().orElseThrow();
        var target = ByteBuffer.allocateDirect(BlockCodec.maxStoredSize(longest));
        var back = ByteBuffer.allocateDirect(longest);
        try (var codec = new BlockCodec()) {
            for (var block : blocks) {
                long start = System.nanoTime();
                var encoded = codec.encode(IDENTITY, compression, block.duplicate(), target);
                long middle = System.nanoTime();
                var index = encoded.index();
                for (int frame = 0; frame < index.frameCount(); frame++) {
                    var piece = encoded.stored().duplicate().position(index.storedOffset(frame))
                            .limit(index.storedOffset(frame) + index.storedLength(frame));
                    codec.decodeFrame(IDENTITY, frame, index, piece,
                            back.slice(index.rawOffset(frame), index.rawLength(frame)));
                }
                reading += System.nanoTime() - middle;
                writing += middle - start;
                raw += block.remaining();
                stored += encoded.stored().remaining();
            }
        }
        return new Row(compression.toString(), new ByteSize(raw), new ByteSize(stored),
                raw / Math.max(1e-9, writing / 1e9), raw / Math.max(1e-9, reading / 1e9));
    }
}
