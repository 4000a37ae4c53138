package volsh.dataset.shards;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import volsh.shard.FormatOptions;
import volsh.shard.Sample;
import volsh.shard.UnfitSampleException;

/**
 * The samples that a reader of a training job gets, in the order it gets them: its shards, in the order of the epoch,
 * through a shuffle buffer, again and again if resampled. The order depends on the settings only; a position in it is
 * the number of samples before it, and going there reads names, no contents.
 *
 * <p>Fields read their shard when they are opened, so the buffer holds names; a shard stays open until the last of its
 * samples has been left behind.
 */
public final class SampleStream implements AutoCloseable {
    private final List<ShardFile> shards;
    private final Settings settings;
    private final Set<Reading> open = new HashSet<>();
    private final List<Buffered> buffer = new ArrayList<>();
    private PythonRandom random;
    private List<ShardFile> order;
    private int next;
    private long epoch;
    private long position;
    private @Nullable Reading current;
    private @Nullable Reading last;

    /**
     * @param buffer   samples to draw from; with less than 2, samples come in the order of their shards
     * @param shuffle  the shards are shuffled, too, anew in each epoch
     * @param resample goes on with the next epoch at the end of one, for ever
     */
    public record Settings(int buffer, boolean shuffle, long seed, long epoch, boolean resample,
            ShardAssignment assignment, int rank, int worker, FormatOptions options) {}

    /** A sample, the shard it is in, and its place in the stream. */
    public record Drawn(Sample sample, ShardFile shard, long epoch, long position) {}

    private record Buffered(Sample sample, Reading from) {}

    /** An open shard, and how many of its samples may still be needed, plus one while it is being read. */
    private static final class Reading {
        private final ShardFile file;
        private final ShardFile.OpenedShard shard;
        private int held = 1;

        Reading(ShardFile file, ShardFile.OpenedShard shard) {
            this.file = file;
            this.shard = shard;
        }
    }

    public SampleStream(List<ShardFile> shards, Settings settings) {
        this.shards = List.copyOf(shards);
        this.settings = settings;
        this.epoch = settings.epoch();
        this.random = new PythonRandom(settings.seed() + epoch);
        this.order = order();
    }

    private List<ShardFile> order() {
        var all = new ArrayList<ShardFile>(shards);
        if (settings.shuffle()) {
            int[] shuffled = random.order(shards.size());
            for (int i = 0; i < shuffled.length; i++) {
                all.set(i, shards.get(shuffled[i]));
            }
        }
        return settings.assignment().of(all, settings.rank(), settings.worker());
    }

    /** Leaves this many samples behind, without reading their contents. */
    public void skip(long count) throws IOException {
        for (long i = 0; i < count && next() != null; i++) {
            // they pass by
        }
    }

    /**
     * The next sample, or null at the end. Its fields may be opened until the next call.
     *
     * @throws volsh.shard.DamagedShardException if a shard is damaged; {@link #current} says which
     */
    public @Nullable Drawn next() throws IOException {
        if (last != null) {
            release(last);
            last = null;
        }
        fill();
        if (buffer.isEmpty() && settings.resample() && position > 0) {
            epoch++;
            random = new PythonRandom(settings.seed() + epoch);
            order = order();
            next = 0;
            fill();
        }
        if (buffer.isEmpty()) {
            return null;
        }
        int chosen = buffer.size() > 1 ? random.below(buffer.size()) : 0;
        var drawn = buffer.get(chosen);
        buffer.set(chosen, buffer.getLast());
        buffer.removeLast();
        last = drawn.from();
        return new Drawn(drawn.sample(), drawn.from().file, epoch, position++);
    }

    private void fill() throws IOException {
        while (buffer.size() < Math.max(1, settings.buffer())) {
            if (current == null) {
                if (next == order.size()) {
                    return;
                }
                var file = order.get(next++);
                current = new Reading(file, file.open(settings.options()));
                open.add(current);
            }
            read(current);
        }
    }

    private void read(Reading from) throws IOException {
        try {
            var sample = from.shard.reader().next();
            if (sample == null) {
                current = null;
                release(from);
            } else {
                from.held++;
                buffer.add(new Buffered(sample, from));
            }
        } catch (UnfitSampleException odd) {
            // no sample; verify tells
        }
    }

    private void release(Reading shard) throws IOException {
        if (--shard.held == 0) {
            open.remove(shard);
            shard.shard.close();
        }
    }

    /** The shard that is being read, or is next, for messages. */
    public @Nullable ShardFile current() {
        return current != null ? current.file : next > 0 ? order.get(next - 1) : null;
    }

    /** How many samples have been drawn. */
    public long position() {
        return position;
    }

    @Override
    public void close() throws IOException {
        for (var reading : open) {
            reading.shard.close();
        }
        open.clear();
        buffer.clear();
    }
}
