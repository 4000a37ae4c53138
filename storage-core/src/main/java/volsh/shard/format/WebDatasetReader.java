package volsh.shard.format;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import volsh.fs.ByteSource;
import volsh.shard.DamagedShardException;
import volsh.shard.Field;
import volsh.shard.Sample;
import volsh.shard.SamplePosition;
import volsh.shard.SamplePosition.FieldPosition;
import volsh.shard.SampleReader;
import volsh.shard.UnfitSampleException;

/**
 * A tar archive as WebDataset reads it: adjacent files whose names agree up to the first dot after the last slash are a
 * sample. Directories are passed over. Nothing protects the bytes of fields; the checksums of an index do.
 */
final class WebDatasetReader implements SampleReader {
    private final ByteSource source;
    private final ShardWindow window;
    private final TarMembers members;
    private final List<TarMember> group = new ArrayList<>();
    private @Nullable TarMember ahead;
    private boolean ended;
    private @Nullable SamplePosition position;

    WebDatasetReader(ByteSource source) throws IOException {
        this(source, ShardWindow.whole(source), 0, true);
    }

    private WebDatasetReader(ByteSource source, ShardWindow window, long from, boolean whole) {
        this.source = source;
        this.window = window;
        this.members = new TarMembers(window, from, whole);
    }

    @Override
    public @Nullable Sample next() throws IOException {
        if (ahead != null) {
            group.add(ahead);
            ahead = null;
        }
        while (!ended && ahead == null) {
            var member = members.next(group.isEmpty() ? Long.MAX_VALUE : group.getFirst().header());
            if (member == null) {
                ended = true;
            } else if (member.problem() != null) {
                throw new UnfitSampleException("member '%s' at offset %d %s"
                        .formatted(member.name(), member.header(), member.problem()));
            } else if (group.isEmpty() || group.getFirst().sharesKey(member)) {
                addField(member);
            } else {
                ahead = member;
            }
        }
        return group.isEmpty() ? null : sample();
    }

    private void addField(TarMember member) throws DamagedShardException {
        for (var other : group) {
            if (other.name().equals(member.name())) {
                throw new DamagedShardException(member.header(), "'%s' is there twice".formatted(member.name()));
            }
        }
        if (group.size() == SampleNames.FIELDS_MAX) {
            throw new DamagedShardException(member.header(), "a sample of more than %d files"
                    .formatted(SampleNames.FIELDS_MAX));
        }
        group.add(member);
    }

    private Sample sample() {
        var fields = new ArrayList<Field>(group.size());
        var positions = new ArrayList<FieldPosition>(group.size());
        for (var member : group) {
            fields.add(new StoredField(member.field(), member.size(), member.offset(), window));
            positions.add(new FieldPosition(member.field(), member.offset(), member.size()));
        }
        long start = group.getFirst().header();
        String key = group.getFirst().key();
        position = new SamplePosition(key, start, group.getLast().end() - start, positions);
        group.clear();
        return new Sample(key, fields);
    }

    @Override
    public SamplePosition position() {
        return Objects.requireNonNull(position, "next() comes first");
    }

    @Override
    public Sample at(SamplePosition wanted) throws IOException {
        var reader = new WebDatasetReader(source, ShardWindow.of(source, wanted), wanted.offset(), false);
        var sample = reader.next();
        if (sample == null || !sample.key().equals(wanted.key()) || reader.ahead != null) {
            throw new DamagedShardException(wanted.offset(), "the index has sample '%s' here, the shard %s".formatted(
                    wanted.key(), sample == null ? "none" : "'%s'".formatted(sample.key())));
        }
        return sample;
    }

    @Override
    public void close() {}
}
