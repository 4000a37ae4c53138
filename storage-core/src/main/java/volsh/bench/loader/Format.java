package volsh.bench.loader;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import volsh.bench.Sources;
import volsh.shard.ShardFormat;

/** How samples are stored in files. */
public enum Format {
    /** A file per sample. */
    FILES("files", ".+"),
    /** WebDataset: members of tar archives. */
    TAR("tar archives (*.tar)", "(?i).*\\.tar"),
    /** Consecutive records: TFRecord, or our records with an index, as the bytes tell. */
    RECORDS("record files (*.tfrecord, *.tfrecords, *.records or *.tfrecord-N-of-M)",
            "(?i).*\\.(tfrecords?|records)(-\\d+-of-\\d+)?"),
    /** Consecutive samples of one length, read at random offsets. */
    PLACES("large files of samples (*.bin)", "(?i).*\\.bin");

    private static final int FILES_MAX = 1_000_000;
    private static final int PLACES_MAX = 10_000_000;

    private final String description;
    private final Predicate<String> name;

    Format(String description, String name) {
        this.description = description;
        this.name = java.util.regex.Pattern.compile(name).asMatchPredicate();
    }

    public String description() {
        return description;
    }

    /**
     * The samples below the directory, in an order given by the seed; empty if there are none of this format. {@code
     * each}: bytes of a sample at an offset.
     */
    public Samples find(Path directory, long each, long seed, BooleanSupplier stop) throws IOException {
        var files = Sources.maybeBelow(directory, FILES_MAX, stop);
        files.removeIf(file -> !name.test(file.getFileName().toString()));
        Collections.sort(files);
        Collections.shuffle(files, new Random(seed));
        return switch (this) {
            case FILES -> new FileSamples(files);
            case TAR -> new ShardSamples(files, ShardFileReader::tar);
            case RECORDS -> new ShardSamples(files, ShardFileReader::records);
            case PLACES -> PlaceSamples.of(files, Math.toIntExact(each), PLACES_MAX, seed);
        };
    }

    /** Whether there is any file of this format below the directory. */
    public boolean isIn(Path directory) throws IOException {
        try (var all = Files.walk(directory)) {
            return all.anyMatch(file -> Files.isRegularFile(file) && name.test(file.getFileName().toString()));
        }
    }

    /** Writes samples of random bytes. */
    void write(Path directory, List<Long> sizes, int perShard, Noise noise) throws IOException {
        var out = new LoaderFiles(directory, noise);
        switch (this) {
            case FILES -> out.files(sizes);
            case TAR -> out.shards(sizes, perShard, "shard-%05d.tar", ShardFormat.WEBDATASET);
            case RECORDS -> out.shards(sizes, perShard, "shard-%05d.tfrecord", ShardFormat.TFRECORD);
            case PLACES -> out.bare(sizes, perShard, "samples-%05d.bin");
        }
    }
}
