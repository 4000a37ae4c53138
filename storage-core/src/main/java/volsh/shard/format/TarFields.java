package volsh.shard.format;

import org.jspecify.annotations.Nullable;
import volsh.shard.DamagedShardException;

/** The parts of a tar header block, as programs of all ages wrote them. */
final class TarFields {
    private static final int CHECKSUM = 148;
    private static final int EXTENDED_MAX = 1 << 19;

    private TarFields() {}

    /** Up to the first zero byte. */
    static int length(byte[] bytes, int from, int most) {
        int length = 0;
        while (length < most && bytes[from + length] != 0) {
            length++;
        }
        return length;
    }

    /** Octal digits, or after a set first bit the number itself. */
    static long number(byte[] bytes, int from, int length, long offset) throws DamagedShardException {
        long value = 0;
        if (bytes[from] < 0) {
            value = bytes[from] & 0x7f;
            for (int i = from + 1; i < from + length; i++) {
                if (value >= 1L << 55) {
                    throw new DamagedShardException(offset, "a number in the header is too large or negative");
                }
                value = value << 8 | bytes[i] & 0xff;
            }
            return value;
        }
        int i = from;
        while (i < from + length && bytes[i] == ' ') {
            i++;
        }
        for (; i < from + length && bytes[i] >= '0' && bytes[i] <= '7'; i++) {
            value = value << 3 | bytes[i] - '0';
        }
        if (i < from + length && bytes[i] != 0 && bytes[i] != ' ') {
            throw new DamagedShardException(offset, "a number in the header has other characters than octal digits");
        }
        return value;
    }

    /** Old programs added up signed bytes. */
    static void requireChecksum(byte[] block, int from, long offset) throws DamagedShardException {
        int unsigned = 8 * ' ';
        int signed = 8 * ' ';
        for (int i = 0; i < TarHeader.BLOCK; i++) {
            if (i < CHECKSUM || i >= CHECKSUM + 8) {
                unsigned += block[from + i] & 0xff;
                signed += block[from + i];
            }
        }
        long stored = number(block, from + CHECKSUM, 8, offset);
        if (stored != unsigned && stored != signed) {
            throw new DamagedShardException(offset, "the checksum of a header is wrong: damaged, or not a tar archive");
        }
    }

    static boolean looksLike(byte[] start) {
        try {
            if (start.length == TarHeader.BLOCK && start[0] != 0) {
                requireChecksum(start, 0, 0);
                return true;
            }
        } catch (DamagedShardException other) {
            return false;
        }
        return false;
    }

    static int extendedSize(long size, long offset) throws DamagedShardException {
        if (size > EXTENDED_MAX) {
            throw new DamagedShardException(offset, "an extended header of %d bytes".formatted(size));
        }
        return (int) size;
    }

    /** Why a member of this type is no file, or null if it is one. */
    static @Nullable String problem(int type) {
        return switch (type) {
            case 0, '0', '7' -> null;
            case '1' -> "is a hard link";
            case '2' -> "is a symbolic link";
            case '3', '4' -> "is a device";
            case '6' -> "is a named pipe";
            case 'S' -> "is a sparse file";
            default -> "is of an unknown type '%c'".formatted((char) (type & 0xff));
        };
    }
}
