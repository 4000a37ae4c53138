package volsh.command.render;

/**
 * Makes text safe for a terminal, so that a hostile file name cannot control it. Control characters (C0, DEL, C1),
 * bidirectional overrides, line separators and lone surrogates become escapes such as {@code \n} and {@code \x1b};
 * everything else stays unchanged.
 */
public final class Printable {
    private Printable() {}

    /** The text itself when it is harmless, which is the usual case. */
    public static String of(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (!harmless(text, i)) {
                return escaped(text);
            }
        }
        return text;
    }

    /** As {@link #of}, but line ends stay: for our own texts that quote foreign ones. */
    public static String lines(String text) {
        var safe = new StringBuilder(text.length());
        int start = 0;
        for (int end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
            safe.append(of(text.substring(start, end))).append('\n');
            start = end + 1;
        }
        return start == 0 ? of(text) : safe.append(of(text.substring(start))).toString();
    }

    private static String escaped(String text) {
        var safe = new StringBuilder(text.length() + 16);
        for (int i = 0; i < text.length(); i++) {
            if (harmless(text, i)) {
                safe.append(text.charAt(i));
            } else {
                escape(text.charAt(i), safe);
            }
        }
        return safe.toString();
    }

    private static boolean harmless(String text, int index) {
        char c = text.charAt(index);
        if (c < 0x80) {
            return c >= ' ' && c != 0x7f;
        }
        if (Character.isSurrogate(c)) {
            return paired(text, index);
        }
        return c >= 0xa0 && !(c >= 0x200e && c <= 0x200f) && !(c >= 0x2028 && c <= 0x202e)
                && !(c >= 0x2066 && c <= 0x2069)
                && c != 0xfeff;
    }

    static boolean paired(String text, int index) {
        char c = text.charAt(index);
        return Character.isHighSurrogate(c)
                ? index + 1 < text.length() && Character.isLowSurrogate(text.charAt(index + 1))
                : index > 0 && Character.isHighSurrogate(text.charAt(index - 1));
    }

    private static void escape(char c, StringBuilder safe) {
        switch (c) {
            case '\n' -> safe.append("\\n");
            case '\r' -> safe.append("\\r");
            case '\t' -> safe.append("\\t");
            default -> {
                if (c < 0x100) {
                    safe.append("\\x").append(hex(c >> 4)).append(hex(c));
                } else {
                    safe.append("\\u").append(hex(c >> 12)).append(hex(c >> 8)).append(hex(c >> 4)).append(hex(c));
                }
            }
        }
    }

    static char hex(int digit) {
        return "0123456789abcdef".charAt(digit & 15);
    }
}
