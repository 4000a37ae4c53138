package volsh.dataset.shards;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import volsh.dataset.DatasetDirectory;
import volsh.shard.SamplePosition;
import volsh.shard.SamplePosition.FieldPosition;

/**
 * The index of a shard, {@code NAME.idx}: where each sample and each of its fields lies, so that one ranged read gets
 * it. The text that NVIDIA DALI reads as the index of a WebDataset shard: a version and the number of samples, then a
 * line for each sample with the name, offset, size and file name of each field. Behind them, where DALI does not look,
 * a line {@code # OFFSET LENGTH CRC32C} for each sample says where it lies as a whole, and its checksum if there is
 * one.
 */
public record ShardIndex(List<Entry> entries) {
    private static final String VERSION = "v1.2";
    private static final int WORDS = 4;
    static final String EXTENSION = ".idx";
    private static final int SIZE_MAX = 256 << 20;

    /** @param crc32c of the bytes of the sample, headers and padding included */
    public record Entry(SamplePosition position, Optional<Integer> crc32c) {}

    public static String name(String shard) {
        return shard + EXTENSION;
    }

    public byte[] text() {
        var text = new StringBuilder(VERSION).append(' ').append(entries.size()).append('\n');
        for (var entry : entries) {
            var key = escaped(entry.position().key());
            var separator = "";
            for (var field : entry.position().fields()) {
                text.append(separator).append(field.name()).append(' ').append(field.offset()).append(' ')
                        .append(field.length()).append(' ').append(key).append('.').append(field.name());
                separator = " ";
            }
            text.append('\n');
        }
        for (var entry : entries) {
            text.append("# ").append(entry.position().offset()).append(' ').append(entry.position().length())
                    .append(' ').append(entry.crc32c().map(HexFormat.of()::toHexDigits).orElse("-")).append('\n');
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static String escaped(String name) {
        return name.indexOf('%') < 0 && name.chars().noneMatch(Character::isWhitespace) ? name
                : name.replace("%", "%25").replace(" ", "%20").replace("\n", "%0A").replace("\t", "%09")
                .replace("\r", "%0D");
    }

    private static String unescaped(String name) {
        return name.replace("%20", " ").replace("%0A", "\n").replace("%09", "\t").replace("%0D", "\r")
                .replace("%25", "%");
    }

    /** The index beside the shard, if there is one. @throws IOException if it is none */
    static Optional<ShardIndex> beside(DatasetDirectory directory, String shard) throws IOException {
        if (directory.size(name(shard)).isEmpty()) {
            return Optional.empty();
        }
        var text = new String(directory.content(name(shard), SIZE_MAX), StandardCharsets.UTF_8);
        try {
            return Optional.of(of(text));
        } catch (IOException | RuntimeException wrong) {
            throw new IOException("%s: not an index of a shard".formatted(directory.shown(name(shard))), wrong);
        }
    }

    private static ShardIndex of(String text) throws IOException {
        var lines = new BufferedReader(new StringReader(text));
        var head = line(lines).split(" ", -1);
        if (!head[0].equals(VERSION)) {
            throw new IOException("unknown version " + head[0]);
        }
        int count = Integer.parseInt(head[1]);
        var fields = new ArrayList<List<FieldPosition>>();
        var keys = new ArrayList<String>();
        for (int i = 0; i < count; i++) {
            var words = line(lines).split(" ", -1);
            fields.add(fields(words));
            var first = unescaped(words[WORDS - 1]);
            keys.add(first.substring(0, first.length() - words[0].length() - 1));
        }
        var entries = new ArrayList<Entry>();
        for (int i = 0; i < count; i++) {
            entries.add(entry(keys.get(i), fields.get(i), lines.readLine()));
        }
        return new ShardIndex(entries);
    }

    private static String line(BufferedReader lines) throws IOException {
        var line = lines.readLine();
        if (line == null) {
            throw new IOException("the index ends too early");
        }
        return line;
    }

    private static List<FieldPosition> fields(String[] words) {
        var fields = new ArrayList<FieldPosition>();
        for (int i = 0; i + WORDS <= words.length; i += WORDS) {
            fields.add(new FieldPosition(words[i], Long.parseLong(words[i + 1]), Long.parseLong(words[i + 2])));
        }
        return fields;
    }

    /** Without our line, as in an index that DALI made, the sample spans its fields and the first header. */
    private static Entry entry(String key, List<FieldPosition> fields, @Nullable String line) {
        if (line == null || !line.startsWith("# ")) {
            long begin = Math.max(0, fields.getFirst().offset() - 512);
            long end = fields.getLast().offset() + (fields.getLast().length() + 511) / 512 * 512;
            return new Entry(new SamplePosition(key, begin, end - begin, fields), Optional.empty());
        }
        var words = line.split(" ", -1);
        var position = new SamplePosition(key, Long.parseLong(words[1]), Long.parseLong(words[2]), fields);
        return new Entry(position, words[3].equals("-") ? Optional.empty()
                : Optional.of(Integer.parseUnsignedInt(words[3], 16)));
    }
}
