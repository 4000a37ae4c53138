package volsh.dataset.shards;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.HexFormat;
import java.util.Optional;
import volsh.shard.SamplePosition;

/** The text of a {@link ShardIndex} as it grows: bytes, and no object for each of a great many samples. */
final class IndexText {
    static final String VERSION = "v1.2";

    private final ByteArrayOutputStream fields = new ByteArrayOutputStream();
    private final ByteArrayOutputStream samples = new ByteArrayOutputStream();
    private int count;

    /** The line that DALI reads. */
    void add(SamplePosition position) {
        var key = escaped(position.key());
        var text = new StringBuilder();
        for (var field : position.fields()) {
            text.append(text.isEmpty() ? "" : " ").append(field.name()).append(' ').append(field.offset()).append(' ')
                    .append(field.length()).append(' ').append(key).append('.').append(field.name());
        }
        fields.writeBytes(text.append('\n').toString().getBytes(UTF_8));
        count++;
    }

    /** The line of ours; in the same order. */
    void addSum(long offset, long length, Optional<Integer> crc32c) {
        samples.writeBytes(("# " + offset + ' ' + length + ' ' + crc32c.map(HexFormat.of()::toHexDigits).orElse("-")
                + '\n').getBytes(UTF_8));
    }

    void writeTo(OutputStream out) throws IOException {
        out.write((VERSION + ' ' + count + '\n').getBytes(UTF_8));
        fields.writeTo(out);
        samples.writeTo(out);
    }

    private static String escaped(String name) {
        for (int i = 0; i < name.length(); i++) {
            if (name.charAt(i) == '%' || Character.isWhitespace(name.charAt(i))) {
                return name.replace("%", "%25").replace(" ", "%20").replace("\n", "%0A").replace("\t", "%09")
                        .replace("\r", "%0D");
            }
        }
        return name;
    }

    static String unescaped(String name) {
        return name.indexOf('%') < 0 ? name : name.replace("%20", " ").replace("%0A", "\n").replace("%09", "\t")
                .replace("%0D", "\r").replace("%25", "%");
    }
}
