package volsh.bucketfs;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import volsh.fs.Name;

/**
 * The name under which a part of a key between slashes is shown. Nearly every part is its own name. The others are
 * shown under names that no other part has, so that every key of a bucket is a file, and every file is a key:
 *
 * <pre>
 *   nothing, as in a//b                     :empty
 *   . and ..                                :dot and :dotdot
 *   an object a where there are keys a/...  a:object
 *   more than 255 bytes                     the beginning of it, and :long- with 16 digits of its SHA-256
 *   a part that looks like one of these     the part and :key
 * </pre>
 *
 * @param segment the part of the key; null for a long one, of which only the beginning is known
 * @param beginning how the part begins
 * @param digest of a long part; empty for others
 * @param object whether it names the object where there are keys below it
 */
record SegmentName(@Nullable String segment, String beginning, String digest, boolean object) {
    private static final String EMPTY = ":empty";
    private static final String DOT = ":dot";
    private static final String DOT_DOT = ":dotdot";
    private static final String OBJECT = ":object";
    private static final String KEY = ":key";
    private static final String LONG = ":long-";
    private static final int DIGITS = 16;
    private static final Pattern LONG_NAME = Pattern.compile("(?s)(.*):long-([0-9a-f]{16})");
    private static final Pattern RESERVED =
            Pattern.compile("(?s).*(:key|:object|:long-[0-9a-f]{16})|:empty|:dot(dot)?");

    /** The name of a part of a key; {@code object} if keys below it take the name without the suffix. */
    static String of(String segment, boolean object) {
        String plain = plain(segment);
        int room = Name.LENGTH_MAX - (object ? OBJECT.length() : 0);
        String fitting = bytes(plain) > room ? shortened(segment, room) : plain;
        return object ? fitting + OBJECT : fitting;
    }

    private static String plain(String segment) {
        return switch (segment) {
            case "" -> EMPTY;
            case "." -> DOT;
            case ".." -> DOT_DOT;
            default -> RESERVED.matcher(segment).matches() ? segment + KEY : segment;
        };
    }

    private static String shortened(String segment, int room) {
        int end = segment.length();
        int most = room - LONG.length() - DIGITS;
        var bytes = segment.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > most) {
            int cut = most;
            while ((bytes[cut] & 0xc0) == 0x80) {   // within a character
                cut--;
            }
            end = new String(bytes, 0, cut, StandardCharsets.UTF_8).length();
        }
        return segment.substring(0, end) + LONG + digest(segment);
    }

    /** What a name stands for; empty if there is no such part of a key. */
    static Optional<SegmentName> parse(String name) {
        boolean object = name.endsWith(OBJECT);
        String rest = object ? name.substring(0, name.length() - OBJECT.length()) : name;
        var shortened = LONG_NAME.matcher(rest);
        if (shortened.matches()) {
            return Optional.of(new SegmentName(null, shortened.group(1), shortened.group(2), object));
        }
        String segment = switch (rest) {
            case EMPTY -> "";
            case DOT -> ".";
            case DOT_DOT -> "..";
            default -> rest.endsWith(KEY) ? rest.substring(0, rest.length() - KEY.length()) : rest;
        };
        return of(segment, object).equals(name) ? Optional.of(new SegmentName(segment, segment, "", object))
                : Optional.empty();
    }

    /** Whether it is the name of this part. */
    boolean isOf(String part) {
        return segment != null ? segment.equals(part) : part.startsWith(beginning) && digest(part).equals(digest);
    }

    /** The text of a name; empty if it is not UTF-8, as keys are. */
    static Optional<String> text(Name name) {
        String text = new String(name.bytes(), StandardCharsets.UTF_8);
        return Arrays.equals(text.getBytes(StandardCharsets.UTF_8), name.bytes()) ? Optional.of(text)
                : Optional.empty();
    }

    static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static String digest(String segment) {
        try {
            byte[] all = MessageDigest.getInstance("SHA-256").digest(segment.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(all, 0, DIGITS / 2);
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("SHA-256 is not available", missing);
        }
    }
}
