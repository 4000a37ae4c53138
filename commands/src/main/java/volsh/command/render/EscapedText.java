package volsh.command.render;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * {@code $'…'}, as in other shells: text in which backslashes begin escapes ({@code \n}, {@code \x1b}, {@code \u202e}),
 * for names that cannot be typed or must not be shown. Bytes as {@code \xNN} that are not UTF-8 stay as they are
 * written, which is how commands take them.
 */
public final class EscapedText {
    /** Characters that mean something in a line of ours or of the system's shell. */
    private static final Pattern SPECIAL = Pattern.compile("[\\s'\"\\\\$;&|<>(){}#!*?`]");
    private static final String LETTERS = "abefnrtv\\'\"";
    private static final String MEANT = "\u0007\b\u001b\f\n\r\t\u000b\\'\"";

    private final String line;
    private final StringBuilder text = new StringBuilder();
    private int position;

    private EscapedText(String line, int position) {
        this.line = line;
        this.position = position;
    }

    /**
     * What stands between quotes.
     *
     * @param end behind the closing quote, or -1 if there is none
     */
    public record Read(String text, int end) {}

    /** Whether such a text begins here. */
    public static boolean begins(String line, int at) {
        return line.startsWith("$'", at);
    }

    /** Reads the text that {@linkplain #begins begins} here. */
    public static Read read(String line, int at) {
        var reader = new EscapedText(line, at + 2);
        return reader.read();
    }

    private Read read() {
        while (position < line.length() && line.charAt(position) != '\'') {
            if (line.charAt(position) == '\\' && position + 1 < line.length()) {
                escape(line.charAt(position + 1));
            } else {
                text.append(line.charAt(position++));
            }
        }
        return new Read(text.toString(), position < line.length() ? position + 1 : -1);
    }

    private void escape(char letter) {
        int known = LETTERS.indexOf(letter);
        if (known >= 0) {
            text.append(MEANT.charAt(known));
            position += 2;
        } else if (letter == 'x' && hex(position + 2, 2)) {
            bytes();
        } else if (letter == 'u' && hex(position + 2, 4)) {
            text.append((char) Integer.parseInt(line, position + 2, position + 6, 16));
            position += 6;
        } else {
            text.append('\\').append(letter);
            position += 2;
        }
    }

    /** Neighbours belong together: a letter may be several bytes. */
    private void bytes() {
        int start = position;
        var bytes = new ByteArrayOutputStream();
        while (line.startsWith("\\x", position) && hex(position + 2, 2)) {
            bytes.write(Integer.parseInt(line, position + 2, position + 4, 16));
            position += 4;
        }
        try {
            text.append(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes.toByteArray())));
        } catch (CharacterCodingException notText) {
            text.append(line, start, position);
        }
    }

    private boolean hex(int from, int digits) {
        if (from + digits > line.length()) {
            return false;
        }
        return line.substring(from, from + digits).chars().allMatch(c -> Character.digit(c, 16) >= 0 && c < 0x80);
    }

    /**
     * A word of a line that means exactly this text: as it is, with backslashes, or escaped if it must not be shown.
     */
    public static String word(String text) {
        if (!Printable.is(text)) {
            return escaped(text);
        }
        return text.isEmpty() ? "''" : SPECIAL.matcher(text).replaceAll("\\\\$0");
    }

    private static String escaped(String text) {
        var written = new StringBuilder("$'");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\\') {
                written.append("\\\\");
            } else if (c == '\'') {
                written.append("\\x27");   // so that a quote ends it for every reader
            } else if (Printable.is(text, i)) {
                written.append(c);
            } else {
                written.append(c < 0x80 ? "\\x%02x".formatted((int) c) : "\\u%04x".formatted((int) c));
            }
        }
        return written.append('\'').toString();
    }
}
