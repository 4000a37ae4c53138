package volsh.dataset.shards;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import volsh.dataset.DatasetDirectory;
import volsh.shard.DamagedShardException;
import volsh.shard.FormatOptions;
import volsh.shard.Sample;
import volsh.shard.SampleReader;
import volsh.shard.ShardFormat;
import volsh.shard.UnfitSampleException;

/**
 * Verifies a shard: its structure, the checksums of its format, of its index and of its dataset, the keys, and the
 * numbers of samples. Goes on after a problem where the format allows it.
 */
public final class ShardCheck {
    private static final int BUFFER = 1 << 20;
    private static final int PROBLEMS_MAX = 100;

    private final FormatOptions options;
    private final PackObserver observer;
    private final Map<DatasetDirectory, Map<String, ShardRecord>> records = new ConcurrentHashMap<>();

    public ShardCheck(FormatOptions options, PackObserver observer) {
        this.options = options;
        this.observer = observer;
    }

    /** @param offset in the shard; -1 if the problem is not at one place */
    public record Problem(long offset, String text) {}

    /** What was found. */
    public record Verdict(ShardFile shard, String format, long samples, long bytes, List<Problem> problems) {
        public boolean good() {
            return problems.isEmpty();
        }
    }

    /** Several shards at a time; the verdicts are in the order of the shards. */
    public List<Verdict> checkAll(List<ShardFile> shards, int threads) throws IOException {
        var verdicts = new AtomicReferenceArray<Verdict>(shards.size());
        ParallelWork.run(IntStream.range(0, shards.size()).boxed().toList(), threads,
                i -> verdicts.set(i, check(shards.get(i))));
        return IntStream.range(0, shards.size()).mapToObj(verdicts::get).toList();
    }

    public Verdict check(ShardFile shard) throws IOException {
        var problems = new ArrayList<Problem>();
        long size = shard.size();
        try (var bytes = new SummedShard(shard.directory().open(shard.name()));
                var open = shard.open(options, bytes)) {
            var index = index(shard, problems);
            var record = record(shard);
            var run = new Run(open, bytes, index, record.isPresent(), problems);
            long samples = run.samples();
            counts(run, record, samples, size, problems);
            return new Verdict(shard, open.format().name(), samples, size, problems);
        } catch (DamagedShardException damaged) {
            problems.add(new Problem(damaged.offset(), String.valueOf(damaged.getMessage())));
            return new Verdict(shard, "unknown", 0, size, problems);
        }
    }

    private static Optional<ShardIndex> index(ShardFile shard, List<Problem> problems) {
        try {
            return shard.index();
        } catch (IOException wrong) {
            problems.add(new Problem(-1, String.valueOf(wrong.getMessage())));
            return Optional.empty();
        }
    }

    /** What dataset.json says of it; read once for all shards of a directory. */
    private Optional<ShardRecord> record(ShardFile shard) throws IOException {
        var found = records.get(shard.directory());
        if (found == null) {
            var shards = new HashMap<String, ShardRecord>();
            DatasetRecord.in(shard.directory()).ifPresent(all ->
                    all.shards().forEach(one -> shards.putIfAbsent(one.name(), one)));
            found = shards;
            records.put(shard.directory(), found);
        }
        return Optional.ofNullable(found.get(shard.name()));
    }

    private static void counts(Run run, Optional<ShardRecord> record, long samples, long size,
            List<Problem> problems) throws IOException {
        if (run.index.isPresent() && run.index.get().entries().size() != samples && !run.stopped) {
            problems.add(new Problem(-1, "the index has %d samples, the shard %d".formatted(
                    run.index.get().entries().size(), samples)));
        }
        if (record.isEmpty()) {
            return;
        }
        boolean cut = run.open.format() == ShardFormat.TOKENS;    // samples were packed, sequences are read
        if (record.get().samples() != samples && !cut && !run.stopped) {
            problems.add(new Problem(-1, "dataset.json says %d samples, the shard has %d".formatted(
                    record.get().samples(), samples)));
        }
        if (record.get().bytes() != size) {
            problems.add(new Problem(Math.min(size, record.get().bytes()),
                    "dataset.json says %d bytes, the shard has %d".formatted(record.get().bytes(), size)));
        } else if (!run.summed && problems.isEmpty()
                && !"%08x".formatted(run.bytes.whole()).equals(record.get().crc32c())) {
            problems.add(new Problem(-1, "its bytes differ from those that were packed (checksum in dataset.json)"));
        }
    }

    /** The CRC-32C of a range. */
    static int sum(DatasetDirectory.OpenShard file, long offset, long length, Runnable before) throws IOException {
        var sum = new CRC32C();
        var buffer = ByteBuffer.allocate((int) Math.min(length, BUFFER));
        for (long left = length; left > 0; ) {
            before.run();
            buffer.clear().limit((int) Math.min(left, buffer.capacity()));
            int count = file.read(offset + length - left, buffer);
            if (count <= 0) {
                break;
            }
            sum.update(buffer.flip());
            left -= count;
        }
        return (int) sum.getValue();
    }

    /** One pass over a shard. */
    private final class Run {
        private final ShardFile.OpenedShard open;
        private final SummedShard bytes;
        private final Optional<ShardIndex> index;
        private final boolean recorded;
        private final List<Problem> problems;
        private final SeenKeys keys = new SeenKeys();
        private boolean summed;
        private boolean stopped;
        private boolean mismatch;

        Run(ShardFile.OpenedShard open, SummedShard bytes, Optional<ShardIndex> index, boolean recorded,
                List<Problem> problems) {
            this.open = open;
            this.bytes = bytes;
            this.index = index;
            this.recorded = recorded;
            this.problems = problems;
        }

        long samples() throws IOException {
            summed = index.isPresent() && index.get().isSummed();
            long samples = 0;
            long told = 0;
            while (problems.size() < PROBLEMS_MAX) {
                observer.check();
                try {
                    var sample = open.reader().next();
                    if (sample == null) {
                        break;
                    }
                    check(sample, open.reader(), samples++);
                    long end = open.reader().position().offset() + open.reader().position().length();
                    if (recorded && !summed) {
                        bytes.passed(end);
                    }
                    observer.packed(end - told);
                    told = end;
                } catch (UnfitSampleException odd) {
                    problems.add(new Problem(-1, String.valueOf(odd.getMessage())));
                } catch (DamagedShardException damaged) {
                    problems.add(new Problem(damaged.offset(), String.valueOf(damaged.getMessage())));
                    stopped = true;
                    break;
                }
            }
            stopped |= problems.size() >= PROBLEMS_MAX;
            return samples;
        }

        private void check(Sample sample, SampleReader reader, long number) throws IOException {
            var position = reader.position();
            if (!reader.isNumbered() && !keys.add(sample.key())) {
                problems.add(new Problem(position.offset(), "key '%s' is there twice, apart".formatted(sample.key())));
            }
            var entry = entry(number);
            if (entry == null) {
                drain(sample);
                return;
            }
            if (!entry.position().equals(position) && !mismatch) {
                mismatch = true;   // all that follow are wrong as well
                problems.add(new Problem(position.offset(), ("the index has sample '%s' at %d with %d bytes, the shard"
                        + " has '%s' at %d with %d").formatted(entry.position().key(), entry.position().offset(),
                        entry.position().length(), sample.key(), position.offset(), position.length())));
            }
            if (summed && !mismatch
                    && bytes.sum(position.offset(), position.length()) != entry.crc32c().orElseThrow()) {
                problems.add(new Problem(position.offset(),
                        "the bytes of sample '%s' differ from those that were packed".formatted(sample.key())));
            }
        }

        private ShardIndex.@Nullable Entry entry(long number) {
            return index.isPresent() && number < index.get().entries().size()
                    ? index.get().entries().get((int) number) : null;
        }

        private void drain(Sample sample) throws IOException {
            for (var field : sample.fields()) {
                try (var in = field.open()) {
                    in.transferTo(java.io.OutputStream.nullOutputStream());
                }
            }
        }
    }
}
