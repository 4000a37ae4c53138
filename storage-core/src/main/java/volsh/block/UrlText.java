package volsh.block;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * Percent encoding in URLs: {@code %20} is a space; a percent sign without two hexadecimal digits after it is itself,
 * as in {@code 1%}.
 */
final class UrlText {
    private static final Pattern ESCAPE = Pattern.compile("%[0-9a-fA-F]{2}");
    private static final String SPECIAL = "?#&+ \"<>\\^`{|}";

    private UrlText() {}

    static String decode(String text) {
        var bytes = new ByteArrayOutputStream();
        for (int i = 0; i < text.length(); ) {
            boolean escape = ESCAPE.matcher(text).region(i, text.length()).lookingAt();
            int end = escape ? i + 3 : text.offsetByCodePoints(i, 1);
            byte[] decoded = escape
                    ? new byte[] {(byte) Integer.parseInt(text.substring(i + 1, end), 16)}
                    : text.substring(i, end).getBytes(StandardCharsets.UTF_8);
            bytes.writeBytes(decoded);
            i = end;
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes.toByteArray())).toString();
        } catch (CharacterCodingException notText) {
            throw new IllegalArgumentException("the URL contains bytes that are not valid text", notText);
        }
    }

    static String encode(String text) {
        var encoded = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char next = text.charAt(i);
            boolean ambiguous = ESCAPE.matcher(text).region(i, text.length()).lookingAt();
            if (ambiguous || next < 128 && SPECIAL.indexOf(next) >= 0) {
                encoded.append("%%%02X".formatted((int) next));
            } else {
                encoded.append(next);
            }
        }
        return encoded.toString();
    }
}
