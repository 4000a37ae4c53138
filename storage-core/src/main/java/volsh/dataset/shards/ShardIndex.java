package volsh.dataset.shards;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import volsh.dataset.DatasetDirectory;
import volsh.shard.SamplePosition;

/**
 * The index of a shard, {@code NAME.idx}: where each sample and each of its fields lies, so that one ranged read gets
 * it. The text that NVIDIA DALI reads as the index of a WebDataset shard: a version and the number of samples, then a
 * line for each sample with the name, offset, size and file name of each field. Behind them, where DALI does not look,
 * a line {@code # OFFSET LENGTH CRC32C} for each sample says where it lies as a whole, and its checksum if there is
 * one.
 */
public record ShardIndex(List<Entry> entries) {
    static final String EXTENSION = ".idx";
    private static final int SIZE_MAX = 128 << 20;

    /** @param crc32c of the bytes of the sample, headers and padding included */
    public record Entry(SamplePosition position, Optional<Integer> crc32c) {}

    public static String name(String shard) {
        return shard + EXTENSION;
    }

    public byte[] text() throws IOException {
        var bytes = new ByteArrayOutputStream();
        indexText().writeTo(bytes);
        return bytes.toByteArray();
    }

    private IndexText indexText() {
        var text = new IndexText();
        for (var entry : entries) {
            text.add(entry.position());
        }
        for (var entry : entries) {
            text.addSum(entry.position().offset(), entry.position().length(), entry.crc32c());
        }
        return text;
    }

    /** Writes the index beside a shard. */
    static void write(DatasetDirectory directory, String shard, IndexText text) throws IOException {
        try (var file = directory.create(name(shard))) {
            text.writeTo(file.stream());
            file.commit();
        }
    }

    /** Whether it has a checksum for every sample. */
    boolean isSummed() {
        return entries instanceof IndexLines lines ? lines.isSummed()
                : entries.stream().allMatch(entry -> entry.crc32c().isPresent());
    }

    /** The index beside the shard, if there is one. @throws IOException if it is none */
    static Optional<ShardIndex> beside(DatasetDirectory directory, String shard) throws IOException {
        if (directory.size(name(shard)).isEmpty()) {
            return Optional.empty();
        }
        byte[] text = directory.content(name(shard), SIZE_MAX);
        try {
            return Optional.of(new ShardIndex(new IndexLines(text)));
        } catch (IOException | RuntimeException wrong) {
            throw new IOException("%s: not an index of a shard".formatted(directory.shown(name(shard))), wrong);
        }
    }
}
