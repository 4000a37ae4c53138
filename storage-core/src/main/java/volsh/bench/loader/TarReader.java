package volsh.bench.loader;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A tar archive as WebDataset reads it: adjacent members with the same name up to the first dot are one sample. */
final class TarReader implements Samples.Reader {
    private static final int BLOCK = 512;
    private static final int LONG_NAME_MAX = 1 << 20;
    private static final Pattern PAX_PATH = Pattern.compile("\\d+ path=([^\\n]*)\\n");

    private final Window in;
    private @Nullable Member ahead;

    private record Member(String key, long size) {}

    TarReader(Path shard) throws IOException {
        this.in = new Window(shard);
    }

    @Override
    public long next() throws IOException {
        var first = ahead == null ? member() : ahead;
        if (first == null) {
            return END;
        }
        long bytes = content(first);
        for (ahead = member(); ahead != null && ahead.key().equals(first.key()); ahead = member()) {
            bytes += content(ahead);
        }
        return bytes;
    }

    private long content(Member member) throws IOException {
        in.pass(padded(member.size()));
        return member.size();
    }

    private static long padded(long size) {
        return Math.ceilDiv(size, (long) BLOCK) * BLOCK;
    }

    /** The next file's header, including the extra headers before it that name it. Null at the end. */
    private @Nullable Member member() throws IOException {
        String longName = null;
        while (!in.atEnd()) {
            byte[] header = in.take(BLOCK);
            if (header[0] == 0) {
                return null;    // blocks of zeros are the end
            }
            requireHeader(header);
            long size = size(header);
            switch (header[156]) {
                case 'L', 'x' -> longName = name(header[156], size, longName);
                case '0', 0 -> {
                    return new Member(key(longName == null ? plainName(header) : longName), size);
                }
                default -> in.pass(padded(size));   // directories, links
            }
        }
        return null;
    }

    private @Nullable String name(byte kind, long size, @Nullable String known) throws IOException {
        if (size > LONG_NAME_MAX) {
            throw broken();
        }
        var text = new String(in.take((int) padded(size)), 0, (int) size, StandardCharsets.UTF_8);
        if (kind == 'L') {
            return text.replaceFirst("\\x00.*", "");
        }
        var path = PAX_PATH.matcher(text);
        return path.find() ? path.group(1) : known;
    }

    private static String plainName(byte[] header) {
        String prefix = header[257] == 'u' ? text(header, 345, 155) : "";
        return prefix.isEmpty() ? text(header, 0, 100) : prefix + "/" + text(header, 0, 100);
    }

    private static String key(String name) {
        int dot = name.indexOf('.', name.lastIndexOf('/') + 1);
        return dot < 0 ? name : name.substring(0, dot);
    }

    private static String text(byte[] header, int from, int length) {
        int end = from;
        while (end < from + length && header[end] != 0) {
            end++;
        }
        return new String(header, from, end - from, StandardCharsets.UTF_8);
    }

    /** Octal digits, or after a set first bit the number itself. */
    private long size(byte[] header) throws IOException {
        if (header[124] < 0) {
            long size = 0;
            for (int i = 128; i < 136; i++) {
                size = size << 8 | header[i] & 0xFF;
            }
            return size;
        }
        try {
            return Long.parseLong(text(header, 124, 12).strip(), 8);
        } catch (NumberFormatException wrong) {
            throw broken();
        }
    }

    private void requireHeader(byte[] header) throws IOException {
        int sum = 8 * ' ';
        for (int i = 0; i < BLOCK; i++) {
            sum += i >= 148 && i < 156 ? 0 : header[i] & 0xFF;
        }
        if (!text(header, 148, 8).strip().matches("0*" + Integer.toOctalString(sum))) {
            throw broken();
        }
    }

    private IOException broken() {
        return new IOException("%s is not a tar archive, or is corrupt".formatted(in.path()));
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
