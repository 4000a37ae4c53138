package volsh.command.render;

/**
 * How many terminal cells a text takes, and how to shorten it. Combining marks take none, East Asian wide characters
 * and emoji two.
 */
public final class DisplayWidth {
    // Pairs of first and last code point, ascending.
    private static final int[] WIDE = {
        0x1100, 0x115f, 0x231a, 0x231b, 0x23e9, 0x23ec, 0x2614, 0x2615, 0x2648, 0x2653, 0x26a1, 0x26a1, 0x26bd, 0x26be,
        0x2705, 0x2705, 0x2728, 0x2728, 0x274c, 0x274c, 0x2753, 0x2755, 0x2795, 0x2797, 0x2b1b, 0x2b1c, 0x2b50, 0x2b50,
        0x2e80, 0x303e, 0x3041, 0x33ff, 0x3400, 0x4dbf, 0x4e00, 0x9fff, 0xa000, 0xa4cf, 0xa960, 0xa97f, 0xac00, 0xd7a3,
        0xf900, 0xfaff, 0xfe30, 0xfe6f, 0xff00, 0xff60, 0xffe0, 0xffe6, 0x16fe0, 0x18cff, 0x1b000, 0x1b2ff,
        0x1f004, 0x1f004, 0x1f0cf, 0x1f0cf, 0x1f18e, 0x1f19a, 0x1f200, 0x1f320, 0x1f32d, 0x1f64f, 0x1f680, 0x1f6ff,
        0x1f7e0, 0x1f7eb, 0x1f90c, 0x1f9ff, 0x1fa70, 0x1faff, 0x20000, 0x3fffd,
    };

    private DisplayWidth() {}

    public static int of(String text) {
        int width = 0;
        for (int i = 0; i < text.length(); ) {
            int point = text.codePointAt(i);
            width += of(point);
            i += Character.charCount(point);
        }
        return width;
    }

    static int of(int point) {
        if (point < 0x300) {
            return point == 0xad ? 0 : 1;
        }
        return switch (Character.getType(point)) {
            case Character.NON_SPACING_MARK, Character.ENCLOSING_MARK, Character.FORMAT -> 0;
            default -> wide(point) ? 2 : 1;
        };
    }

    private static boolean wide(int point) {
        int low = 0;
        int high = WIDE.length / 2 - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (point < WIDE[2 * middle]) {
                high = middle - 1;
            } else if (point > WIDE[2 * middle + 1]) {
                low = middle + 1;
            } else {
                return true;
            }
        }
        return false;
    }

    /** The text within {@code width} cells: its beginning, {@code mark}, and a third of the room for its end. */
    static String elide(String text, int width, String mark) {
        if (of(text) <= width) {
            return text;
        }
        int room = width - of(mark);
        if (room <= 0) {
            return head(text, width);
        }
        int tail = room / 3;
        return head(text, room - tail) + mark + tail(text, tail);
    }

    /** The longest beginning that fits. */
    public static String head(String text, int width) {
        int end = 0;
        for (int used = 0; end < text.length(); ) {
            int point = text.codePointAt(end);
            used += of(point);
            if (used > width) {
                break;
            }
            end += Character.charCount(point);
        }
        return text.substring(0, end);
    }

    private static String tail(String text, int width) {
        int start = text.length();
        for (int used = 0; start > 0; ) {
            int point = text.codePointBefore(start);
            used += of(point);
            if (used > width) {
                break;
            }
            start -= Character.charCount(point);
        }
        return text.substring(start);
    }
}
