package volsh.shard.format;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import volsh.fs.ByteSource;
import volsh.shard.DamagedShardException;
import volsh.shard.IndexedReader;
import volsh.shard.Sample;
import volsh.shard.SamplePosition;
import volsh.shard.SamplePosition.FieldPosition;
import volsh.shard.VectorType;

/**
 * Samples of one size behind a header: sequences of tokens, or vectors. Their keys are their numbers. The checksum is
 * of all samples: it is known to be right when the reader says that there are no more.
 */
final class FixedReader implements IndexedReader {
    /**
     * What the header says.
     *
     * @param field what the only field of a sample is called
     * @param size  of a sample in bytes
     * @param sum   the CRC-32C of all samples, if the header has it
     */
    record Layout(String field, long size, long samples, OptionalInt sum) {}

    private final ByteSource source;
    private final ShardWindow window;
    private final Layout layout;
    private final CRC32C sum = new CRC32C();
    private long count;

    private FixedReader(ByteSource source, ShardWindow window, Layout layout) {
        this.source = source;
        this.window = window;
        this.layout = layout;
    }

    static FixedReader tokens(ByteSource source) throws IOException {
        var window = ShardWindow.whole(source);
        return new FixedReader(source, window, FixedLayouts.tokens(window));
    }

    static FixedReader vectors(ByteSource source, VectorType type) throws IOException {
        var window = ShardWindow.whole(source);
        return new FixedReader(source, window, FixedLayouts.vectors(window, type));
    }

    @Override
    public @Nullable Sample next() throws IOException {
        if (count == layout.samples()) {
            if (layout.sum().isPresent() && layout.sum().getAsInt() != (int) sum.getValue()) {
                throw new DamagedShardException(FixedHeader.BLOCK, "the checksum of the samples is wrong");
            }
            return null;
        }
        long start = FixedHeader.BLOCK + count * layout.size();
        count++;
        if (layout.sum().isPresent()) {
            add(start);
        }
        return sample(window, position());
    }

    private void add(long start) throws IOException {
        if (layout.size() <= ShardWindow.SIZE) {
            window.load(start, (int) layout.size());    // stays there for the field
        }
        for (long done = 0; done < layout.size();) {
            int now = window.some(start + done, layout.size() - done);
            sum.update(window.array(), window.index(start + done), now);
            done += now;
        }
    }

    private Sample sample(ShardWindow in, SamplePosition position) {
        return new Sample(position.key(),
                List.of(new StoredField(layout.field(), position.length(), position.offset(), in)));
    }

    @Override
    public SamplePosition position() {
        return position(count - 1);
    }

    @Override
    public boolean isNumbered() {
        return true;
    }

    @Override
    public long count() {
        return layout.samples();
    }

    @Override
    public SamplePosition position(long number) {
        Objects.checkIndex(number, layout.samples());
        long start = FixedHeader.BLOCK + number * layout.size();
        return new SamplePosition(SampleNames.number(number), start, layout.size(),
                List.of(new FieldPosition(layout.field(), start, layout.size())));
    }

    /** Any range of samples, also one that began as a document of another length. */
    @Override
    public Sample at(SamplePosition wanted) throws IOException {
        if (wanted.offset() < FixedHeader.BLOCK) {
            throw new DamagedShardException(wanted.offset(), "the index has a sample where the header is");
        }
        return sample(ShardWindow.of(source, wanted), wanted);
    }

    @Override
    public void close() {}
}
