package volsh.shard.format;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import volsh.shard.DamagedShardException;
import volsh.shard.Field;
import volsh.shard.Sample;

/**
 * Reads a {@code tf.train.Example}. A feature of one bytes value is a field; one of several values is fields {@code
 * NAME.0}, {@code NAME.1} and so on; numbers are a field of text with spaces between them.
 */
final class ExampleReader {
    private static final int FIELDS_MAX = 65536;
    private static final int TEXT_MAX = 16 << 20;

    private final ShardWindow window;
    private final List<Field> fields = new ArrayList<>();
    private final Set<String> names = new HashSet<>();
    private String key;

    private ExampleReader(ShardWindow window, String key) {
        this.window = window;
        this.key = key;
    }

    /** @param key of an example without the feature {@code __key__} */
    static Sample read(ShardWindow window, long from, long length, String key) throws IOException {
        var reader = new ExampleReader(window, key);
        for (var example = new ProtoCursor(window, from, length); example.next();) {
            if (example.number() == 1 && example.isDelimited()) {
                for (var features = example.content(); features.next();) {
                    reader.entry(features);
                }
            } else {
                example.skip();
            }
        }
        return new Sample(reader.key, reader.fields);
    }

    private void entry(ProtoCursor features) throws IOException {
        if (features.number() != 1 || !features.isDelimited()) {
            features.skip();
            return;
        }
        String name = "";
        ProtoCursor feature = null;
        for (var entry = features.content(); entry.next();) {
            if (entry.number() == 1 && entry.isDelimited()) {
                name = entry.content().text();
            } else if (entry.number() == 2 && entry.isDelimited()) {
                feature = entry.content();
            } else {
                entry.skip();
            }
        }
        if (feature == null || name.isEmpty() || !names.add(name) || names.size() > FIELDS_MAX) {
            throw features.malformed();
        }
        feature(name, feature);
    }

    private void feature(String name, ProtoCursor feature) throws IOException {
        while (feature.next()) {
            if (!feature.isDelimited()) {
                feature.skip();
                continue;
            }
            switch (feature.number()) {
                case 1 -> bytes(name, feature.content());
                case 2 -> fields.add(Field.of(name, text(floats(feature.content()))));
                case 3 -> fields.add(Field.of(name, text(integers(feature.content()))));
                default -> feature.skip();
            }
        }
    }

    private void bytes(String name, ProtoCursor list) throws IOException {
        var values = new ArrayList<ProtoCursor>();
        while (list.next()) {
            if (list.number() != 1 || !list.isDelimited() || values.size() == FIELDS_MAX) {
                throw list.malformed();
            }
            values.add(list.content());
        }
        if (name.equals(ExampleParts.KEY) && values.size() == 1) {
            key = values.getFirst().text();
            return;
        }
        for (int i = 0; i < values.size(); i++) {
            var value = values.get(i);
            fields.add(new StoredField(values.size() == 1 ? name : name + "." + i, value.length(), value.offset(),
                    window));
        }
    }

    private static StringBuilder integers(ProtoCursor list) throws IOException {
        var text = new StringBuilder();
        while (list.next()) {
            if (list.number() == 1 && list.isVarint()) {
                append(text, Long.toString(list.varint()), list);
            } else if (list.number() == 1 && list.isDelimited()) {
                for (var packed = list.content(); !packed.atEnd();) {
                    append(text, Long.toString(packed.varint()), list);
                }
            } else {
                throw list.malformed();
            }
        }
        return text;
    }

    private static StringBuilder floats(ProtoCursor list) throws IOException {
        var text = new StringBuilder();
        while (list.next()) {
            if (list.number() == 1 && list.isFixed32()) {
                append(text, Float.toString(Float.intBitsToFloat(list.fixed32())), list);
            } else if (list.number() == 1 && list.isDelimited()) {
                for (var packed = list.content(); !packed.atEnd();) {
                    append(text, Float.toString(Float.intBitsToFloat(packed.fixed32())), list);
                }
            } else {
                throw list.malformed();
            }
        }
        return text;
    }

    private static void append(StringBuilder text, String number, ProtoCursor list) throws IOException {
        if (text.length() > TEXT_MAX) {
            throw new DamagedShardException(list.offset(), "a list of numbers with more than %d characters"
                    .formatted(TEXT_MAX));
        }
        if (!text.isEmpty()) {
            text.append(' ');
        }
        text.append(number);
    }

    private static byte[] text(StringBuilder text) {
        return text.toString().getBytes(StandardCharsets.US_ASCII);
    }
}
