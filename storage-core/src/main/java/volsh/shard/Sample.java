package volsh.shard;

import java.util.List;

/** A sample of a dataset: its key, unique in the dataset, and its fields in the order in which they are stored. */
public record Sample(String key, List<Field> fields) {
    public Sample {
        fields = List.copyOf(fields);
    }

    public long size() {
        return fields.stream().mapToLong(Field::size).sum();
    }
}
