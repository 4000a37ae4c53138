package volsh.command.shard;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import volsh.command.render.Columns;
import volsh.unit.ByteSize;

/** A sample of a stream; {@code contents} are its short texts. */
record SampleRow(long position, long epoch, @Nullable Long batch, String key, List<String> fields, ByteSize size,
        String shard, Map<String, String> contents) {
    static final Columns<SampleRow> COLUMNS = Columns.of(SampleRow.class)
            .text("key", SampleRow::key)
            .number("position", SampleRow::position)
            .number("epoch", SampleRow::epoch)
            .number("batch", SampleRow::batch)
            .text("fields", SampleRow::fields)
            .bytes("size", SampleRow::size)
            .text("shard", SampleRow::shard)
            .text("contents", SampleRow::contents).wide();
}
