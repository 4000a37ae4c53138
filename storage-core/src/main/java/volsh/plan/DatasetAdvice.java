package volsh.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import volsh.unit.ByteSize;

/**
 * What settings of a volume, and which shards, suit a dataset, with reasons.
 *
 * @param batch       samples of a batch
 * @param compression the compression that real samples recommend
 * @param ratio       how much smaller it made them: raw bytes for a stored one
 */
public record DatasetAdvice(SampleSizes sizes, int batch, String compression, double ratio) {
    private static final long SHARD = 256 * ByteSize.MIB;
    private static final long SHARD_MIN = 100 * ByteSize.MIB;
    private static final long INLINE = 4 * ByteSize.KIB;
    private static final long INLINE_MAX = 16 * ByteSize.KIB;
    /** Inline bytes are rows of the metadata: this many are no burden. */
    private static final long INLINE_TOTAL = 512 * ByteSize.MIB;
    private static final long BLOCK = 4 * ByteSize.MIB;
    private static final long LARGE_BLOCK = 16 * ByteSize.MIB;
    private static final long LARGE = 64 * ByteSize.MIB;
    private static final int SMALL_PART = 4;
    private static final int READERS = 8;
    private static final int GETS_OF_A_PACK = 3;
    private static final double WORTH_IT = 1.05;

    /** One piece of advice. */
    public record Line(String topic, String advice, String reason) {}

    public List<Line> lines() {
        var lines = new ArrayList<Line>();
        lines.add(blockSize());
        lines.add(inline());
        lines.add(new Line("compression", compression, ratio < WORTH_IT
                ? "the samples are compressed already: less than 5% would be saved"
                : String.format(Locale.ROOT, "makes samples of your files %.2f times smaller", ratio)));
        lines.add(requests());
        lines.add(shards());
        return lines;
    }

    public long blockBytes() {
        return sizes.mean() >= LARGE ? LARGE_BLOCK : BLOCK;
    }

    private Line blockSize() {
        boolean small = sizes.mean() * SMALL_PART <= BLOCK;
        return new Line("block-size", new ByteSize(blockBytes()).exact(), sizes.mean() >= LARGE
                ? "files of %s on average are read in long runs: large blocks need fewer requests".formatted(
                        new ByteSize(sizes.mean()))
                : small ? "about %,d files of %s share a block: one request fetches them all".formatted(
                        Math.max(1, BLOCK / Math.max(1, sizes.mean())), new ByteSize(sizes.mean()))
                : "the default: a file of %s is %,d blocks, which are read in parallel".formatted(
                        new ByteSize(sizes.mean()), Math.ceilDiv(sizes.mean(), BLOCK)));
    }

    public long inlineBytes() {
        for (long inline = INLINE_MAX; inline > INLINE; inline /= 2) {
            long more = sizes.upTo(inline).files() - sizes.upTo(inline / 2).files();
            if (sizes.upTo(inline).bytes().bytes() <= INLINE_TOTAL && more * 10 > sizes.files()) {
                return inline;
            }
        }
        return INLINE;
    }

    private Line inline() {
        var within = sizes.upTo(inlineBytes());
        return new Line("inline", new ByteSize(inlineBytes()).exact(),
                "%s of the files, %s in all, are that small: kept in the metadata, they need no request".formatted(
                        percent(within.files(), sizes.files()), within.bytes()));
    }

    private Line requests() {
        long perBlock = Math.max(1, blockBytes() / Math.max(1, sizes.mean()));
        long packed = perBlock == 1 ? batch : Math.ceilDiv((long) batch * GETS_OF_A_PACK, perBlock);
        return new Line("requests", "%,d or about %,d".formatted(batch, Math.min(batch, packed)),
                ("a batch of %,d samples, %s: file by file in any order, or in directory order where small files "
                        + "share blocks").formatted(batch, new ByteSize(batch * sizes.mean())));
    }

    /** Samples of a shard: whole batches, for about 256 MiB, or less where eight readers would not get one each. */
    public long samplesPerShard() {
        long fitting = Math.clamp(SHARD / Math.max(1, sizes.mean()), 1, Math.max(1, sizes.files() / READERS));
        long samples = fitting < batch ? fitting : fitting / batch * batch;
        return Math.max(1, Math.min(samples, Math.max(1, sizes.files())));
    }

    private Line shards() {
        long samples = samplesPerShard();
        long shards = Math.ceilDiv(Math.max(1, sizes.files()), samples);
        var plan = "%,d of %,d samples".formatted(shards, samples);
        if (sizes.mean() >= SHARD_MIN) {
            return new Line("shards", "none", "files of %s are as large as shards".formatted(
                    new ByteSize(sizes.mean())));
        }
        long bytes = samples * sizes.mean();
        return new Line("shards", plan, "%s each%s%s; up to %,d readers can share them".formatted(new ByteSize(bytes),
                bytes >= SHARD_MIN ? ", within the usual 100 to 500 MiB" : ", as the dataset is small",
                samples % batch == 0 ? ", whole batches of %d".formatted(batch) : "", shards));
    }

    private static String percent(long part, long of) {
        return String.format(Locale.ROOT, "%.1f%%", of == 0 ? 0 : 100.0 * part / of);
    }
}
