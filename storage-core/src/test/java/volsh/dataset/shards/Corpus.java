package volsh.dataset.shards;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import volsh.dataset.BadSamples;
import volsh.dataset.DatasetDirectory;
import volsh.dataset.LocalDirectory;
import volsh.dataset.SampleTable;
import volsh.dataset.ScannedFiles;
import volsh.dataset.SourceLayout;
import volsh.dataset.SourceScan;
import volsh.shard.FormatOptions;
import volsh.shard.ShardFormat;

/** A small dataset, and what tests do with it. */
final class Corpus {
    static final PackObserver NOBODY = new PackObserver() {
        @Override
        public void packed(long bytes) {}

        @Override
        public void check() {}
    };

    final Path root;
    final BadSamples bad = new BadSamples();
    private final Map<String, Double> splits = new LinkedHashMap<>();
    private ShardFormat format = ShardFormat.WEBDATASET;
    private long samples = 7;
    private int threads = 3;
    private int readers = 1;
    private boolean strict;
    private boolean replace;

    Corpus(Path root) {
        this.root = root;
    }

    /** Classes of pictures, with contents and sizes from a seed. */
    static Corpus imageFolder(Path root, int classes, int each) throws IOException {
        var random = new Random(7);
        for (int c = 0; c < classes; c++) {
            var directory = Files.createDirectories(root.resolve("class%02d".formatted(c)));
            for (int i = 0; i < each; i++) {
                var bytes = new byte[1 + random.nextInt(3000)];
                random.nextBytes(bytes);
                var file = directory.resolve("im%03d.JPEG".formatted(i));
                if (!Files.exists(file)) {
                    Files.write(file, bytes);
                }
            }
        }
        return new Corpus(root);
    }

    Corpus split(String name, double share) {
        splits.put(name, share);
        return this;
    }

    Corpus format(ShardFormat chosen) {
        format = chosen;
        return this;
    }

    Corpus samples(long most) {
        samples = most;
        return this;
    }

    Corpus threads(int count) {
        threads = count;
        return this;
    }

    Corpus readers(int count) {
        readers = count;
        return this;
    }

    Corpus strict() {
        strict = true;
        return this;
    }

    Corpus replacing() {
        replace = true;
        return this;
    }

    SampleTable table() throws IOException {
        var source = new LocalDirectory(root);
        ScannedFiles files = new SourceScan(Optional.empty(), Optional.empty(), () -> false).scan(source, bad);
        return new SampleTable(files, source, SourceLayout.of(files), bad);
    }

    DatasetPacking packing(DatasetDirectory target) throws IOException {
        return packing(table(), target);
    }

    DatasetPacking packing(SampleTable table, DatasetDirectory target) {
        return new DatasetPacking(table, new PackSettings(format, FormatOptions.DEFAULT, OptionalLong.of(samples),
                OptionalLong.empty(), splits, true, 42, readers, threads, strict, replace), target, bad);
    }

    DatasetPacking.Packed pack(Path target) throws IOException {
        return packing(new LocalDirectory(target)).run(NOBODY);
    }

    static List<ShardFile> shards(Path directory) throws IOException {
        return ShardPattern.all(new LocalDirectory(directory));
    }

    /** Each file below the directory with a checksum of its bytes. */
    static Map<String, String> tree(Path directory) throws IOException {
        var tree = new TreeMap<String, String>();
        try (var files = Files.walk(directory)) {
            for (var file : files.filter(Files::isRegularFile).toList()) {
                var sum = new CRC32C();
                var bytes = Files.readAllBytes(file);
                sum.update(bytes);
                tree.put(directory.relativize(file).toString(), bytes.length + " " + sum.getValue());
            }
        }
        return tree;
    }

    /** The keys of a stream, in its order. */
    static List<String> keys(SampleStream stream, long most) throws IOException {
        var keys = new ArrayList<String>();
        for (var drawn = stream.next(); drawn != null && keys.size() < most; drawn = stream.next()) {
            keys.add(drawn.sample().key());
        }
        return keys;
    }
}
