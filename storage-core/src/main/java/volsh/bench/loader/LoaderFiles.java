package volsh.bench.loader;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import volsh.shard.Field;
import volsh.shard.FormatOptions;
import volsh.shard.Sample;
import volsh.shard.ShardFormat;
import volsh.shard.format.Formats;

/** Writes samples into files of a directory. Each file is synced, so that its pages can be dropped. */
final class LoaderFiles {
    private static final int PER_DIRECTORY = 1000;

    private final Path directory;
    private final Noise noise;

    LoaderFiles(Path directory, Noise noise) {
        this.directory = directory;
        this.noise = noise;
    }

    void files(List<Long> sizes) throws IOException {
        for (int i = 0; i < sizes.size() && !noise.stopped(); i++) {
            var parent = Files.createDirectories(directory.resolve("%04d".formatted(i / PER_DIRECTORY)));
            try (var out = create(parent.resolve("sample-%08d".formatted(i)))) {
                plain(out, sizes.get(i));
                out.force(false);
            }
        }
    }

    /** Samples one after another, with nothing between them. */
    void bare(List<Long> sizes, int perFile, String name) throws IOException {
        for (int first = 0; first < sizes.size(); first += perFile) {
            try (var out = create(directory.resolve(name.formatted(first / perFile)))) {
                for (int i = first; i < Math.min(sizes.size(), first + perFile) && !noise.stopped(); i++) {
                    plain(out, sizes.get(i));
                }
                out.force(false);
            }
        }
    }

    /** Tar archives of members {@code NUMBER.bin} and {@code NUMBER.cls}, or record files. */
    void shards(List<Long> sizes, int perShard, String name, ShardFormat format) throws IOException {
        for (int first = 0; first < sizes.size(); first += perShard) {
            try (var out = create(directory.resolve(name.formatted(first / perShard)))) {
                var writer = Formats.writer(format, FormatOptions.DEFAULT.withRaw(true), Channels.newOutputStream(out));
                for (int i = first; i < Math.min(sizes.size(), first + perShard) && !noise.stopped(); i++) {
                    writer.add(sample(i, sizes.get(i), format == ShardFormat.WEBDATASET));
                }
                writer.finish();
                out.force(false);
            }
        }
    }

    private static FileChannel create(Path file) throws IOException {
        return FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    private void plain(FileChannel out, long size) throws IOException {
        for (long left = size; left > 0;) {
            var piece = noise.next(left);
            left -= piece.remaining();
            while (piece.hasRemaining()) {
                out.write(piece);
            }
        }
    }

    private Sample sample(int number, long size, boolean labelled) {
        var content = new NoiseField(size, noise);
        var label = Field.of("cls", Integer.toString(number % 10).getBytes(US_ASCII));
        return new Sample("%08d".formatted(number), labelled ? List.of(content, label) : List.of(content));
    }

    private record NoiseField(long size, Noise noise) implements Field {
        @Override
        public String name() {
            return "bin";
        }

        @Override
        public InputStream open() {
            return new InputStream() {
                private long left = size;

                @Override
                public int read() {
                    byte[] one = new byte[1];
                    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
                }

                @Override
                public int read(byte[] target, int from, int length) {
                    if (left == 0) {
                        return -1;
                    }
                    var piece = noise.next(Math.min(length, left));
                    int count = piece.remaining();
                    piece.get(target, from, count);
                    left -= count;
                    return count;
                }
            };
        }
    }
}
