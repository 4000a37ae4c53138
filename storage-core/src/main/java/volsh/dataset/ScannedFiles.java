package volsh.dataset;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.IntBinaryOperator;

/**
 * The files of a source in a compact table: about 80 bytes for a file, most of them outside of the heap if there are
 * many. A file has a key, by default its path up to the first dot of its name, and perhaps a class and a text of JSON.
 */
public final class ScannedFiles implements AutoCloseable {
    private static final int SIZE = 0;
    private static final int STAMP = 8;
    private static final int HANDLE = 16;
    private static final int LENGTHS = 24;
    private static final int HEAD = 32;
    private static final int TEXTS = 4;
    private static final int TEXT_MAX = 0xFFFF;
    private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;
    private static final byte[] NONE = {};

    private final RecordArena arena;
    private int[] references = new int[1024];
    private int count;

    public ScannedFiles() {
        this(new RecordArena());
    }

    ScannedFiles(RecordArena arena) {
        this.arena = arena;
    }

    /** What a pattern or a manifest says of a file; an empty text is nothing said. */
    public record Said(String key, String label, String json) {
        public static final Said NOTHING = new Said("", "", "");
    }

    public void add(String path, DatasetDirectory.Found found, Said said) throws IOException {
        byte[][] texts = {bytes(path), bytes(said.key()), bytes(said.label()), bytes(said.json())};
        int length = HEAD;
        for (byte[] text : texts) {
            if (text.length > TEXT_MAX) {
                throw new IOException(path + ": more than 64 KiB of text for one file");
            }
            length += text.length;
        }
        var room = arena.append(length);
        room.putLong(found.size()).putLong(found.stamp()).putLong(found.handle());
        for (byte[] text : texts) {
            room.putShort((short) text.length);
        }
        for (byte[] text : texts) {
            room.put(text);
        }
        if (count == references.length) {
            references = Arrays.copyOf(references, count + count / 2);
        }
        references[count++] = arena.last();
    }

    private static byte[] bytes(String text) {
        return text.isEmpty() ? NONE : text.getBytes(StandardCharsets.UTF_8);
    }

    public int count() {
        return count;
    }

    public long size(int file) {
        return number(file, SIZE);
    }

    public long stamp(int file) {
        return number(file, STAMP);
    }

    public long handle(int file) {
        return number(file, HANDLE);
    }

    private long number(int file, int at) {
        int reference = references[file];
        return arena.chunk(reference).getLong(RecordArena.position(reference) + at);
    }

    public String path(int file) {
        return text(file, 0);
    }

    /** A number that changes with the size, the time and the texts of the file, of 64 bits. */
    long fingerprint(int file) {
        var chunk = arena.chunk(references[file]);
        int at = RecordArena.position(references[file]);
        int end = at + HEAD;
        for (int text = 0; text < TEXTS; text++) {
            end += length(chunk, at, text);
        }
        long mixed = mixed(mixed(mixed(0, chunk.getLong(at + SIZE)), chunk.getLong(at + STAMP)),
                chunk.getLong(at + LENGTHS));
        int from = at + HEAD;
        for (; from + Long.BYTES <= end; from += Long.BYTES) {
            mixed = mixed(mixed, chunk.getLong(from));
        }
        for (; from < end; from++) {
            mixed = mixed(mixed, chunk.get(from));
        }
        return mixed;
    }

    private static long mixed(long before, long more) {
        long product = (before ^ more) * MULTIPLIER;
        return product ^ product >>> 32;
    }

    /** The class that a pattern or a manifest gives it; empty if none does. */
    public String label(int file) {
        return text(file, 2);
    }

    /** A JSON object of further facts; empty if there are none. */
    public String json(int file) {
        return text(file, 3);
    }

    private String text(int file, int which) {
        int reference = references[file];
        var chunk = arena.chunk(reference);
        int at = RecordArena.position(reference);
        int from = at + HEAD;
        for (int before = 0; before < which; before++) {
            from += length(chunk, at, before);
        }
        int length = length(chunk, at, which);
        if (length == 0) {
            return "";
        }
        var bytes = new byte[length];
        chunk.get(from, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static int length(ByteBuffer chunk, int at, int which) {
        return chunk.getShort(at + LENGTHS + 2 * which) & TEXT_MAX;
    }

    public String key(int file) {
        return key(file, path(file));
    }

    /** The same, given its path. */
    String key(int file, String path) {
        var given = text(file, 1);
        return given.isEmpty() ? path.substring(0, dot(path)) : given;
    }

    /** What follows the first dot of the name; empty if there is no dot. */
    public String extension(int file) {
        return extension(path(file));
    }

    static String extension(String path) {
        int dot = dot(path);
        return dot == path.length() ? "" : path.substring(dot + 1);
    }

    private static int dot(String path) {
        int dot = path.indexOf('.', path.lastIndexOf('/') + 1);
        return dot < 0 ? path.length() : dot;
    }

    /** The numbers of all files by key, then by path. */
    int[] order() {
        var order = new int[count];
        Arrays.setAll(order, file -> file);
        return IndexSort.sort(order, new ByKey());
    }

    /** Compares bytes where they are, without making texts of them. */
    private final class ByKey implements IntBinaryOperator {
        @Override
        public int applyAsInt(int one, int other) {
            int keys = compare(one, other, true);
            return keys != 0 ? keys : compare(one, other, false);
        }

        private int compare(int one, int other, boolean key) {
            int first = references[one];
            int second = references[other];
            var left = arena.chunk(first);
            var right = arena.chunk(second);
            int from = start(left, RecordArena.position(first), key);
            int start = start(right, RecordArena.position(second), key);
            int length = length(left, RecordArena.position(first), key, from);
            int otherLength = length(right, RecordArena.position(second), key, start);
            for (int i = 0; i < Math.min(length, otherLength); i++) {
                int difference = (left.get(from + i) & 0xFF) - (right.get(start + i) & 0xFF);
                if (difference != 0) {
                    return difference;
                }
            }
            return length - otherLength;
        }

        private static int start(ByteBuffer chunk, int at, boolean key) {
            return key && ScannedFiles.length(chunk, at, 1) > 0
                    ? at + HEAD + ScannedFiles.length(chunk, at, 0) : at + HEAD;
        }

        private static int length(ByteBuffer chunk, int at, boolean key, int from) {
            int path = ScannedFiles.length(chunk, at, 0);
            int given = ScannedFiles.length(chunk, at, 1);
            return !key ? path : given > 0 ? given : keyLength(chunk, from, path);
        }

        private static int keyLength(ByteBuffer chunk, int from, int length) {
            int name = length;
            while (name > 0 && chunk.get(from + name - 1) != '/') {
                name--;
            }
            int dot = name;
            while (dot < length && chunk.get(from + dot) != '.') {
                dot++;
            }
            return dot;
        }
    }

    @Override
    public void close() throws IOException {
        arena.close();
    }
}
