package volsh.shard.format;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;

/** Header blocks of tar archives: POSIX ustar, and pax records for what ustar cannot say. */
final class TarHeader {
    static final int BLOCK = 512;
    /** Where ustar's twelve digits end. */
    static final long SIZE_MAX = (1L << 33) - 1;

    private static final int NAME_MAX = 100;
    private static final int PREFIX_MAX = 155;
    private static final byte[] MAGIC = "ustar\00000".getBytes(US_ASCII);
    private static final byte[] EXTENDED = "././@PaxHeader".getBytes(US_ASCII);

    private TarHeader() {}

    /** The bytes that padding fills up to. */
    static long padded(long size) {
        return size + (-size & BLOCK - 1);
    }

    /** How many bytes the headers of a member take. */
    static long length(String name, long size) {
        byte[] bytes = name.getBytes(UTF_8);
        byte[] extended = extended(name, bytes, size);
        return BLOCK + (extended.length == 0 ? 0 : BLOCK + padded(extended.length));
    }

    /** The pax records that the member needs; empty if ustar suffices. */
    static byte[] extended(String name, byte[] bytes, long size) {
        boolean ascii = bytes.length == name.length();
        String records = ascii && split(bytes) >= 0 ? "" : record("path", name, bytes.length);
        if (size > SIZE_MAX) {
            String digits = Long.toString(size);
            records += record("size", digits, digits.length());
        }
        return records.getBytes(UTF_8);
    }

    /** Begins with its own length in bytes, which includes the digits of that number. */
    private static String record(String key, String value, int valueBytes) {
        int rest = key.length() + valueBytes + 3;
        int length = rest + Integer.toString(rest).length();
        length = rest + Integer.toString(length).length();
        return "%d %s=%s\n".formatted(length, key, value);
    }

    /** Where the prefix ends: 0 if the name needs none, negative if no slash is in the right place. */
    private static int split(byte[] name) {
        if (name.length <= NAME_MAX) {
            return 0;
        }
        for (int at = Math.min(PREFIX_MAX, name.length - 2); at > 0 && name.length - at - 1 <= NAME_MAX; at--) {
            if (name[at] == '/') {
                return at;
            }
        }
        return -1;
    }

    /** Writes the block that announces pax records. */
    static void putExtended(byte[] block, int at, int length) {
        put(block, at, EXTENDED, 0, EXTENDED.length, length, 0644, 0, 'x');
    }

    /** Writes the block of a file. What pax records say instead is cut short here. */
    static void putFile(byte[] block, int at, byte[] name, long size, int mode, long seconds) {
        int prefix = split(name);
        int from = prefix > 0 ? prefix + 1 : 0;
        put(block, at, name, from, Math.min(NAME_MAX, name.length - from), size > SIZE_MAX ? 0 : size, mode, seconds,
                '0');
        if (prefix > 0) {
            System.arraycopy(name, 0, block, at + 345, prefix);
            sum(block, at);
        }
    }

    private static void put(byte[] block, int at, byte[] name, int from, int length, long size, int mode, long seconds,
            char type) {
        Arrays.fill(block, at, at + BLOCK, (byte) 0);
        for (int i = 0; i < length; i++) {
            block[at + i] = name[from + i] < 0 ? (byte) '?' : name[from + i];
        }
        octal(block, at + 100, 7, mode);
        octal(block, at + 108, 7, 0);
        octal(block, at + 116, 7, 0);
        octal(block, at + 124, 11, size);
        octal(block, at + 136, 11, seconds);
        block[at + 156] = (byte) type;
        System.arraycopy(MAGIC, 0, block, at + 257, MAGIC.length);
        sum(block, at);
    }

    private static void sum(byte[] block, int at) {
        Arrays.fill(block, at + 148, at + 156, (byte) ' ');
        int sum = 0;
        for (int i = at; i < at + BLOCK; i++) {
            sum += block[i];        // none is negative
        }
        octal(block, at + 148, 6, sum);
        block[at + 154] = 0;
    }

    private static void octal(byte[] block, int at, int digits, long value) {
        long left = value;
        for (int i = at + digits - 1; i >= at; i--) {
            block[i] = (byte) ('0' + (left & 7));
            left >>>= 3;
        }
    }
}
