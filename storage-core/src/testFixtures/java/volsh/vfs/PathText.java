package volsh.vfs;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Paths as {@link Posix} writes them: text, in which {@code U+DC80} to {@code U+DCFF} stand for bytes that are not
 * UTF-8.
 */
public final class PathText {
    private PathText() {}

    public static byte[] bytes(String path) {
        var bytes = new ByteArrayOutputStream();
        path.codePoints().forEach(code -> {
            if (code >= 0xdc80 && code <= 0xdcff) {
                bytes.write(code);
            } else {
                bytes.writeBytes(Character.toString(code).getBytes(StandardCharsets.UTF_8));
            }
        });
        return bytes.toByteArray();
    }

    public static String text(byte[] bytes) {
        var text = new String(bytes, StandardCharsets.UTF_8);
        if (java.util.Arrays.equals(text.getBytes(StandardCharsets.UTF_8), bytes)) {
            return text;
        }
        var odd = new StringBuilder();
        for (byte b : bytes) {
            odd.append(b >= 0 ? (char) b : (char) (0xdc00 + (b & 0xff)));
        }
        return odd.toString();
    }
}
