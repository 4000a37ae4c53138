package volsh.shard;

import java.util.List;

/**
 * Where a sample lies in its shard: one ranged read of {@code length} bytes at {@code offset} gives it.
 *
 * @param fields where the bytes of each field are; empty if the format does not store them as they are
 */
public record SamplePosition(String key, long offset, long length, List<FieldPosition> fields) {
    public SamplePosition {
        fields = List.copyOf(fields);
    }

    /** The bytes of a field, counted from the beginning of the shard. */
    public record FieldPosition(String name, long offset, long length) {}
}
