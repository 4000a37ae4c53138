package volsh.engine;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalLong;

/** What the key schema says about a key, for code that moves rows without parsing them. */
public final class KeyFacts {
    /** The first byte of every key of the change log. */
    public static final byte CHANGE_LOG = 'w';

    /** The keys of {@link Reach#LATER}. */
    public static final List<MetaKey> LATER = List.of(Keys.TICK, Keys.NEXT_SESSION);

    private static final MetaKey SOLE_WRITER = Keys.setting("sole-writer");

    private KeyFacts() {}

    /** Whether a row matters if the volume is rebuilt on another machine. */
    public enum Reach {
        /** Only on this machine: sessions, locks, and the change log itself. */
        HERE,
        /** Elsewhere, but a change of it alone is not worth shipping: the clock, the number of the next session. */
        LATER,
        /** Everywhere. */
        EVERYWHERE
    }

    public static Reach reach(MetaKey key) {
        return switch (key.bytes()[0]) {
            case 's', 'f', CHANGE_LOG -> Reach.HERE;
            case 'v' -> key.equals(SOLE_WRITER) ? Reach.HERE : Reach.EVERYWHERE;
            case 't', 'c' -> LATER.contains(key) ? Reach.LATER : Reach.EVERYWHERE;
            default -> Reach.EVERYWHERE;
        };
    }

    /** Whether a row could have this key: it is of a known kind and of the right length. */
    public static boolean isPossible(MetaKey key) {
        int length = key.bytes().length;
        return switch (key.bytes()[0]) {
            case 't', 'r', 'g' -> length == 1;
            case 'U' -> length == 2;
            case 'N', 'D', 'L', 'b', 'x', 'u', 's', 'P', 'l' -> length == 1 + Long.BYTES;
            case 'S' -> length == 2 + Long.BYTES;
            case 'X', 'd', 'o', 'p' -> length == 1 + 2 * Long.BYTES;
            case 'E', 'A', 'e', 'h', 'f' -> length >= 2 + Long.BYTES;
            case 'c', 'n', 'v', 'q', 'i', 'm', 'z', 'y', CHANGE_LOG -> length >= 2;
            default -> false;
        };
    }

    static boolean isChangeLog(MetaKey key) {
        return key.bytes()[0] == CHANGE_LOG;
    }

    /** The inode whose attributes, bytes, link target or extended attributes the row holds. */
    public static OptionalLong inode(MetaKey key) {
        return switch (key.bytes()[0]) {
            case 'A', 'D', 'L', 'N', 'X' -> OptionalLong.of(Keys.number(key, 0));
            default -> OptionalLong.empty();
        };
    }

    /** The block whose object the row names. */
    public static OptionalLong placedBlock(MetaKey key) {
        return key.bytes()[0] == 'l' ? OptionalLong.of(Keys.number(key, 0)) : OptionalLong.empty();
    }

    /** A description of the row for messages, as far as its key tells. */
    public static String describe(MetaKey key) {
        byte[] bytes = key.bytes();
        boolean numbered = bytes.length >= 1 + Long.BYTES;
        long number = numbered ? Keys.number(key, 0) : 0;
        String row = "the row " + key;
        return switch (bytes[0]) {
            case 'N' -> numbered ? "the row of inode " + number : row;
            case 'E' -> numbered ? "the entry '%s' in the directory with inode %d".formatted(printable(Keys.name(key)),
                    number) : row;
            case 'X' -> numbered ? "an extent of inode " + number : row;
            case 'D' -> numbered ? "the row with the bytes of inode " + number : row;
            case 'L' -> numbered ? "the link target of inode " + number : row;
            case 'A' -> numbered
                    ? "the extended attribute '%s' of inode %d".formatted(printable(Keys.name(key)), number) : row;
            case 'S' -> numbered ? "a counter of the directory with inode " + number : row;
            case 'b', 'x', 'u', 'l' -> numbered
                    ? "the row '%c' of block %016x".formatted((char) bytes[0], number) : row;
            case 's' -> numbered ? "session " + number : row;
            case 'h' -> bytes.length > 11 ? "a past version of " + describe(Keys.versioned(key)) : row;
            case 'c', 'n', 'v' -> "the row '%s'".formatted(printable(bytes));
            default -> row;
        };
    }

    /** The part of a name that can be printed on a terminal; it may be any bytes. */
    public static String printable(byte[] name) {
        var text = new StringBuilder();
        for (char each : new String(name, StandardCharsets.UTF_8).toCharArray()) {
            text.append(Character.isISOControl(each) || each == '\uFFFD' ? "\\x%02x".formatted((int) each)
                    : String.valueOf(each));
        }
        return text.toString();
    }

    /** The key of a setting of the volume. */
    public static MetaKey setting(String name) {
        return Keys.setting(name);
    }
}
