package volsh.inventory;

import java.nio.ByteBuffer;
import volsh.engine.KeyFacts;
import volsh.engine.Keys;
import volsh.engine.MetaDamagedException;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.fs.FileKind;
import volsh.meta.Files;
import volsh.meta.Moments;
import volsh.meta.NodeRow;
import volsh.meta.Retained;
import volsh.meta.Ticks;
import volsh.meta.View;

/**
 * Checks whether a row can be one of its kind, before it is parsed for use. Rows that every operation reads are checked
 * by a few numbers, all others are {@link Row#of parsed}.
 */
final class RowShape {
    private static final int NODE = View.SINCE_BYTES + 3 + 7 * Integer.BYTES + 7 * Long.BYTES;
    private static final int ENTRY = View.SINCE_BYTES + Long.BYTES + 1;
    private static final int EXTENT = View.SINCE_BYTES + 3 * Long.BYTES;
    private static final int BLOCK = 29;
    private static final MetaKey SOLE_WRITER = Keys.setting("sole-writer");

    private RowShape() {}

    /** @throws MetaDamagedException if it is impossible */
    static void require(MetaKey key, byte[] value) throws MetaDamagedException {
        if (!isUsual(key, value)) {
            throw damaged(key, value);
        }
    }

    private static boolean isUsual(MetaKey key, byte[] value) {
        return switch (key.bytes()[0]) {
            case 'N' -> value.length == NODE && isNode(value);
            case 'E' -> value.length == ENTRY && isKind(value[ENTRY - 1]);
            case 'X' -> value.length == EXTENT;
            case 'A', 'D', 'L' -> value.length >= View.SINCE_BYTES;
            case 'b' -> value.length >= BLOCK && value[0] == 1 && value[1] >= 0 && value[9] >= 0;
            case 'x' -> value.length >= BLOCK && isReadable(key, value);
            case 't' -> isTick(value);
            case 'u', 'c' -> isNumber(value);
            case 'r' -> value.length >= Long.BYTES && value.length % Long.BYTES == 0 && Retained.isWindow(first(value));
            case 'S' -> isCounter(value, 3, 1);
            case 'U' -> isCounter(value, 3, 0);
            case 'q' -> key.bytes().length == 2 && isNumber(value) || isReadable(key, value);
            case 'v' -> key.equals(Moments.COMPLETE_SINCE) ? isTick(value)
                    : !key.equals(SOLE_WRITER) || isNumber(value);
            case KeyFacts.CHANGE_LOG -> true;   // see volsh.ship
            default -> isReadable(key, value);
        };
    }

    private static boolean isReadable(MetaKey key, byte[] value) {
        return !(Row.of(new MetaEngine.Entry(key, value)) instanceof Row.Unreadable);
    }

    private static boolean isNode(byte[] value) {
        var row = ByteBuffer.wrap(value, View.SINCE_BYTES, value.length - View.SINCE_BYTES).slice();
        long size = row.getLong(39);
        return row.get(0) == 1 && isKind(row.get(1)) && row.get(2) >= 0 && row.get(2) <= 2
                && size >= 0 && size <= Files.SIZE_MAX && row.getLong(47) >= 0 && row.getInt(15) >= 0;
    }

    private static boolean isKind(byte code) {
        try {
            FileKind.of(code);
            return true;
        } catch (IllegalArgumentException none) {
            return false;
        }
    }

    private static boolean isTick(byte[] value) {
        return value.length == Long.BYTES && Ticks.isPossible(first(value));
    }

    private static long first(byte[] value) {
        return ByteBuffer.wrap(value).getLong();
    }

    private static boolean isNumber(byte[] value) {
        return value.length == Long.BYTES && value[0] >= 0;
    }

    private static boolean isCounter(byte[] value, int sums, int maxima) {
        return value.length == 1 + Long.BYTES * (sums + maxima) && value[0] == sums;
    }

    private static MetaDamagedException damaged(MetaKey key, byte[] value) {
        try {
            if (key.bytes()[0] == 'N') {
                NodeRow.read(key, value);   // throws with more detail
            }
        } catch (MetaDamagedException said) {
            return said;
        }
        var why = Row.of(new MetaEngine.Entry(key, value)) instanceof Row.Unreadable broken ? broken.why()
                : "it has impossible values";
        return MetaDamagedException.of(key, "cannot be read: " + why, null);
    }
}
