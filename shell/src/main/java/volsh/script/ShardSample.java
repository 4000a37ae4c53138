package volsh.script;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import volsh.dataset.shards.SampleStream.Drawn;
import volsh.shard.Field;

/**
 * A sample in a script: {@code sample.key}, {@code sample.fields}, {@code sample['jpg']}, {@code sample.text('cls')}.
 */
public final class ShardSample {
    private final Drawn drawn;
    private final Map<String, byte[]> loaded;

    ShardSample(Drawn drawn, Map<String, byte[]> loaded) {
        this.drawn = drawn;
        this.loaded = loaded;
    }

    /** With all fields in memory. */
    static ShardSample loaded(Drawn drawn) throws IOException {
        var fields = new LinkedHashMap<String, byte[]>();
        for (var field : drawn.sample().fields()) {
            fields.put(field.name(), bytes(field));
        }
        return new ShardSample(drawn, fields);
    }

    private static byte[] bytes(Field field) throws IOException {
        try (var in = field.open()) {
            return in.readAllBytes();
        }
    }

    public String getKey() {
        return drawn.sample().key();
    }

    public List<String> getFields() {
        return drawn.sample().fields().stream().map(Field::name).toList();
    }

    public long getSize() {
        return drawn.sample().size();
    }

    public String getShard() {
        return drawn.shard().shown();
    }

    /** How many samples came before it: {@code from} goes there. */
    public long getPosition() {
        return drawn.position();
    }

    public long getEpoch() {
        return drawn.epoch();
    }

    /** The bytes of a field. Outside of a batch, only until the next sample is asked for. */
    public byte[] getAt(String name) throws IOException {
        var kept = loaded.get(name);
        if (kept != null) {
            return kept;
        }
        for (var field : drawn.sample().fields()) {
            if (field.name().equals(name)) {
                return bytes(field);
            }
        }
        throw Arguments.usage("sample '%s' has no field '%s' (fields: %s)".formatted(getKey(), name,
                String.join(", ", getFields())));
    }

    /** A field as text. */
    public String text(String name) throws IOException {
        return new String(getAt(name), StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return getKey();
    }
}
