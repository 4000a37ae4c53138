package volsh.dataset.shards;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.RandomAccess;
import volsh.shard.SamplePosition;
import volsh.shard.SamplePosition.FieldPosition;

/**
 * The entries of an index that was read: its text, from which an entry is made when it is asked for, as there may be
 * many. All of them have been made once, so that asking does not fail.
 */
final class IndexLines extends AbstractList<ShardIndex.Entry> implements RandomAccess {
    private static final int WORDS = 4;
    private static final int BLOCK = 512;

    private final byte[] text;
    private final int[] starts;     // of all lines
    private final int count;
    private final int lines;
    private final boolean summed;

    /** @throws IOException if this is no index */
    IndexLines(byte[] text) throws IOException {
        this.text = text;
        this.starts = starts(text);
        this.lines = starts.length - 1;
        var head = lines == 0 ? new String[] {""} : line(0).split(" ", -1);
        if (!head[0].equals(IndexText.VERSION)) {
            throw new IOException("unknown version " + head[0]);
        }
        this.count = Integer.parseInt(head[1]);
        if (count < 0 || count > lines - 1) {
            throw new IOException("the index ends too early");
        }
        boolean all = true;
        for (int i = 0; i < count; i++) {
            all &= entry(i).crc32c().isPresent();
        }
        this.summed = all;
    }

    private static int[] starts(byte[] text) {
        int lines = 0;
        for (byte one : text) {
            lines += one == '\n' ? 1 : 0;
        }
        boolean open = text.length > 0 && text[text.length - 1] != '\n';
        var starts = new int[lines + (open ? 2 : 1)];
        int next = 1;
        for (int i = 0; i < text.length; i++) {
            if (text[i] == '\n') {
                starts[next++] = i + 1;
            }
        }
        if (open) {
            starts[next] = text.length + 1;
        }
        return starts;
    }

    private String line(int number) {
        int end = starts[number + 1] - 1;
        end -= end > starts[number] && text[end - 1] == '\r' ? 1 : 0;
        return new String(text, starts[number], end - starts[number], UTF_8);
    }

    boolean isSummed() {
        return summed;
    }

    @Override
    public int size() {
        return count;
    }

    @Override
    public ShardIndex.Entry get(int number) {
        try {
            return entry(number);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    private ShardIndex.Entry entry(int number) throws IOException {
        var words = line(1 + number).split(" ", -1);
        if (words.length < WORDS) {
            throw new IOException("line %d has %d words".formatted(number + 2, words.length));
        }
        var first = IndexText.unescaped(words[WORDS - 1]);
        var key = first.substring(0, first.length() - words[0].length() - 1);
        int own = 1 + count + number;
        return entry(key, fields(words), own < lines ? line(own) : "");
    }

    private static List<FieldPosition> fields(String[] words) {
        var fields = new ArrayList<FieldPosition>(words.length / WORDS);
        for (int i = 0; i + WORDS <= words.length; i += WORDS) {
            fields.add(new FieldPosition(words[i], Long.parseLong(words[i + 1]), Long.parseLong(words[i + 2])));
        }
        return fields;
    }

    /** Without our line, as in an index that DALI made, the sample spans its fields and the first header. */
    private static ShardIndex.Entry entry(String key, List<FieldPosition> fields, String line) {
        if (!line.startsWith("# ")) {
            long begin = Math.max(0, fields.getFirst().offset() - BLOCK);
            var last = fields.getLast();
            long end = last.offset() + (last.length() + BLOCK - 1) / BLOCK * BLOCK;
            return new ShardIndex.Entry(new SamplePosition(key, begin, end - begin, fields), Optional.empty());
        }
        var words = line.split(" ", -1);
        var position = new SamplePosition(key, Long.parseLong(words[1]), Long.parseLong(words[2]), fields);
        return new ShardIndex.Entry(position, words[3].equals("-") ? Optional.empty()
                : Optional.of(Integer.parseUnsignedInt(words[3], 16)));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof IndexLines lines && Arrays.equals(text, lines.text) || super.equals(other);
    }

    @Override
    public int hashCode() {
        return super.hashCode();
    }
}
