package volsh.bench.loader;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.zip.CRC32C;

/** Writes samples into files of a directory. Each file is synced, so that its pages can be dropped. */
final class LoaderFiles {
    private static final int PER_DIRECTORY = 1000;
    private static final int BLOCK = 512;

    private final Path directory;
    private final Noise noise;

    LoaderFiles(Path directory, Noise noise) {
        this.directory = directory;
        this.noise = noise;
    }

    /** How one sample is written. */
    interface Shape {
        void write(LoaderFiles writer, FileChannel out, long number, long size) throws IOException;
    }

    void files(List<Long> sizes) throws IOException {
        for (int i = 0; i < sizes.size() && !noise.stopped(); i++) {
            var parent = Files.createDirectories(directory.resolve("%04d".formatted(i / PER_DIRECTORY)));
            try (var out = create(parent.resolve("sample-%08d".formatted(i)))) {
                plain(out, i, sizes.get(i));
                out.force(false);
            }
        }
    }

    void shards(List<Long> sizes, int perShard, String name, Shape shape) throws IOException {
        for (int first = 0; first < sizes.size(); first += perShard) {
            try (var out = create(directory.resolve(name.formatted(first / perShard)))) {
                for (int i = first; i < Math.min(sizes.size(), first + perShard) && !noise.stopped(); i++) {
                    shape.write(this, out, i, sizes.get(i));
                }
                if (name.endsWith(".tar")) {
                    put(out, ByteBuffer.allocate(2 * BLOCK));
                }
                out.force(false);
            }
        }
    }

    private static FileChannel create(Path file) throws IOException {
        return FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    void plain(FileChannel out, long number, long size) throws IOException {
        for (long left = size; left > 0;) {
            left -= put(out, noise.next(left));
        }
    }

    void record(FileChannel out, long number, long size) throws IOException {
        var sum = new CRC32C();
        var length = ByteBuffer.allocate(Long.BYTES + Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(size);
        sum.update(length.array(), 0, Long.BYTES);
        put(out, length.putInt(RecordReader.masked(sum)).flip());
        sum.reset();
        for (long left = size; left > 0;) {
            var piece = noise.next(left);
            sum.update(piece.duplicate());
            left -= put(out, piece);
        }
        put(out, ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN).putInt(RecordReader.masked(sum))
                .flip());
    }

    /** A member {@code NUMBER.bin}, and {@code NUMBER.cls} with its class, as in WebDataset. */
    void tar(FileChannel out, long number, long size) throws IOException {
        header(out, "%08d.bin".formatted(number), size);
        plain(out, number, size);
        put(out, ByteBuffer.allocate((int) (-size & BLOCK - 1)));
        header(out, "%08d.cls".formatted(number), 1);
        put(out, ByteBuffer.allocate(BLOCK).put(0, (byte) ('0' + number % 10)));
    }

    private static void header(FileChannel out, String name, long size) throws IOException {
        var block = ByteBuffer.allocate(BLOCK);
        text(block, 0, name);
        text(block, 100, "0000644");
        text(block, 108, "0000000");
        text(block, 116, "0000000");
        if (size < 1L << 33) {
            text(block, 124, "%011o".formatted(size));
        } else {
            block.put(124, (byte) 0x80).putLong(128, size);
        }
        text(block, 136, "00000000000");
        text(block, 148, "        ");
        block.put(156, (byte) '0');
        text(block, 257, "ustar");
        text(block, 263, "00");
        int sum = 0;
        for (byte each : block.array()) {
            sum += each & 0xFF;
        }
        text(block, 148, "%06o\0 ".formatted(sum));
        put(out, block);
    }

    private static void text(ByteBuffer block, int at, String text) {
        block.put(at, text.getBytes(StandardCharsets.US_ASCII));
    }

    private static long put(FileChannel out, ByteBuffer bytes) throws IOException {
        long count = bytes.remaining();
        while (bytes.hasRemaining()) {
            out.write(bytes);
        }
        return count;
    }
}
