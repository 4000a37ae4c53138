package volsh.fuse;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * A request that a mount has answered. Values that an operation does not have are 0 or empty.
 *
 * @param begin     when it arrived, in nanoseconds since the recording began
 * @param took      nanoseconds until it was answered
 * @param process   the requesting thread, as the kernel numbers it
 * @param node      the inode it is about, or the directory that {@code name} is in
 * @param other     the second inode: the directory of {@code otherName}, or the file that gets another name
 * @param handle    of the open file
 * @param offset    where bytes were read or written
 * @param size      how many bytes were requested; for setattr the new length, or -1 if unchanged
 * @param flags     of open and create
 * @param result    bytes that were read or written, or the inode that was found or made
 * @param errno     the error number; 0 on success
 */
public record Asked(long begin, long took, int process, String operation, long node, long other, long handle,
        long offset, long size, int flags,
        long result, int errno, byte[] name, byte[] otherName) {
    /** Not a request, but a name that a listing told the kernel. */
    public static final String ENTRY = "entry";

    private static final int NUMBERS = 12;
    private static final byte[] NONE = {};
    private static final String NAMELESS = "/";   // no name has one
    private static final String PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+,=@:";

    /** A request without names. */
    public static Asked of(long begin, long took, int process, String operation, long node, int errno) {
        return new Asked(begin, took, process, operation, node, 0, 0, 0, 0, 0, 0, errno, NONE, NONE);
    }

    public Asked named(byte[] text) {
        return new Asked(begin, took, process, operation, node, other, handle, offset, size, flags, result, errno, text,
                otherName);
    }

    public Asked and(long second, byte[] text) {
        return new Asked(begin, took, process, operation, node, second, handle, offset, size, flags, result, errno,
                name, text);
    }

    public Asked found(long inode) {
        return new Asked(begin, took, process, operation, node, other, handle, offset, size, flags, inode, errno, name,
                otherName);
    }

    public Asked opened(long number, int how) {
        return new Asked(begin, took, process, operation, node, other, number, offset, size, how, result, errno, name,
                otherName);
    }

    public Asked range(long number, long at, long length, long moved) {
        return new Asked(begin, took, process, operation, node, other, number, at, length, flags, moved, errno, name,
                otherName);
    }

    public long end() {
        return begin + took;
    }

    /** The request as one line, whatever bytes the names contain. */
    public String line() {
        var text = new StringBuilder(96).append(begin).append(' ').append(took).append(' ').append(process).append(' ')
                .append(operation)
                .append(' ').append(node).append(' ').append(other).append(' ').append(handle).append(' ')
                .append(offset).append(' ').append(size)
                .append(' ').append(flags).append(' ').append(result).append(' ').append(errno);
        if (name.length > 0 || otherName.length > 0) {
            text.append(' ').append(name.length == 0 ? NAMELESS : encoded(name));
        }
        if (otherName.length > 0) {
            text.append(' ').append(encoded(otherName));
        }
        return text.toString();
    }

    /** Parses what {@link #line} wrote. @throws IllegalArgumentException if it is malformed */
    public static Asked parse(String line) {
        var words = line.split(" ");
        if (words.length < NUMBERS || words.length > NUMBERS + 2) {
            throw new IllegalArgumentException("invalid request in trace: '%s'".formatted(line));
        }
        return new Asked(Long.parseLong(words[0]), Long.parseLong(words[1]), Integer.parseInt(words[2]), words[3],
                Long.parseLong(words[4]), Long.parseLong(words[5]), Long.parseLong(words[6]), Long.parseLong(words[7]),
                Long.parseLong(words[8]), Integer.parseInt(words[9]),
                Long.parseLong(words[10]), Integer.parseInt(words[11]),
                words.length > NUMBERS && !words[NUMBERS].equals(NAMELESS)
                        ? decoded(words[NUMBERS]) : NONE,
                words.length > NUMBERS + 1 ? decoded(words[NUMBERS + 1]) : NONE);
    }

    /** A name as one word: bytes other than plain letters become {@code %xx}. */
    public static String encoded(byte[] name) {
        var text = new StringBuilder(name.length);
        for (byte each : name) {
            if (PLAIN.indexOf(each) >= 0) {
                text.append((char) each);
            } else {
                text.append(String.format(Locale.ROOT, "%%%02x", each & 0xff));
            }
        }
        return text.toString();
    }

    public static byte[] decoded(String word) {
        var bytes = new ByteArrayOutputStream(word.length());
        byte[] text = word.getBytes(StandardCharsets.ISO_8859_1);
        for (int i = 0; i < text.length; i++) {
            if (text[i] == '%') {
                bytes.write(Integer.parseInt(word, i + 1, i + 3, 16));
                i += 2;
            } else {
                bytes.write(text[i]);
            }
        }
        return bytes.toByteArray();
    }
}
