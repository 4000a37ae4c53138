package volsh.dataset.shards;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import volsh.catalog.Refusal;
import volsh.dataset.DatasetDirectory;
import volsh.dataset.FileBatch;
import volsh.fs.ShellWord;
import volsh.shard.FormatOptions;
import volsh.shard.Sample;
import volsh.shard.UnfitSampleException;

/**
 * Unpacks shards into files {@code KEY.FIELD}. Names that lead out of the target, and members that are no files, are
 * refused; a file appears when it is complete. Samples without keys have numbers instead: with several shards, the
 * files of each go to a directory of their own.
 */
public final class Unpacking {
    /** What is lost at most when the process is killed. */
    private static final int BATCH_FILES = 2_000;
    private static final long BATCH_BYTES = 256 << 20;

    private final DatasetDirectory target;
    private final Set<String> fields;
    private final boolean replace;
    private final FormatOptions options;
    private final PackObserver observer;
    private final AtomicLong files = new AtomicLong();
    private final AtomicLong samples = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();

    /**
     * @param fields  only these; empty: all
     * @param replace overwrite existing files
     */
    public Unpacking(DatasetDirectory target, Set<String> fields, boolean replace, FormatOptions options,
            PackObserver observer) {
        this.target = target;
        this.fields = Set.copyOf(fields);
        this.replace = replace;
        this.options = options;
        this.observer = observer;
    }

    /** What was unpacked. */
    public record Unpacked(long samples, long files, long bytes) {}

    public Unpacked run(List<ShardFile> shards, int threads) throws IOException {
        target.makeDirectories();
        try {
            ParallelWork.run(shards, threads, shard -> unpack(shard, shards.size() > 1 ? base(shard) + "/" : ""));
        } finally {
            if (target.names(DatasetDirectory.WORK).isEmpty()) {    // neither another process nor a pack uses it
                target.delete(DatasetDirectory.WORK);
            }
        }
        target.sync(List.of());
        return new Unpacked(samples.get(), files.get(), bytes.get());
    }

    /** The name of the shard without its last extension. */
    private static String base(ShardFile shard) {
        int dot = shard.name().lastIndexOf('.');
        return dot > shard.name().lastIndexOf('/') + 1 ? shard.name().substring(0, dot) : shard.name();
    }

    private void unpack(ShardFile shard, String directory) throws IOException {
        try (var open = shard.open(options); var batch = target.batch(replace)) {
            long files = 0;
            long size = 0;
            for (var sample = open.reader().next(); sample != null; sample = open.reader().next()) {
                observer.check();
                unpack(sample, open.reader().isNumbered() ? directory : "", batch);
                files += sample.fields().size();
                size += sample.size();
                if (files >= BATCH_FILES || size >= BATCH_BYTES) {
                    batch.commit();
                    files = 0;
                    size = 0;
                }
            }
            batch.commit();
        } catch (volsh.shard.DamagedShardException damaged) {
            throw new Refusal(Refusal.Reason.DAMAGED, "%s: %s".formatted(shard.shown(), damaged.getMessage()),
                    "volsh shard verify " + ShellWord.of(shard.shown()));
        } catch (UnfitSampleException odd) {
            throw new Refusal(Refusal.Reason.FORBIDDEN, "%s: %s; it is not unpacked".formatted(shard.shown(),
                    odd.getMessage()));
        }
    }

    private void unpack(Sample sample, String directory, FileBatch batch) throws IOException {
        for (var field : sample.fields()) {
            if (fields.isEmpty() || fields.contains(field.name())) {
                batch.add(safe(directory + sample.key() + "." + field.name()), field);
                files.incrementAndGet();
                bytes.addAndGet(field.size());
                observer.packed(field.size());
            }
        }
        samples.incrementAndGet();
    }

    /** The name, if it stays within the directory it is unpacked to. */
    static String safe(String name) throws Refusal {
        if (name.startsWith("/") || name.indexOf('\0') >= 0) {
            throw unsafe(name, "it is absolute, or not a name");
        }
        for (String part : name.split("/", -1)) {
            if (part.isEmpty() || part.equals(".") || part.equals("..")) {
                throw unsafe(name, "it leads out of the directory");
            }
            if (part.equals(DatasetDirectory.WORK)) {
                throw unsafe(name, "volsh keeps working files there");
            }
        }
        return name;
    }

    private static Refusal unsafe(String name, String why) {
        return new Refusal(Refusal.Reason.FORBIDDEN, "'%s' is not unpacked: %s".formatted(name, why));
    }
}
