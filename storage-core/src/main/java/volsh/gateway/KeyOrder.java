package volsh.gateway;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Keys in the order of S3, which is that of their UTF-8 bytes: as text of which every character is a byte, so that
 * {@link String#compareTo} is that order and {@link String#startsWith} stays what it is.
 */
final class KeyOrder {
    private KeyOrder() {}

    static String of(byte[] key) {
        return new String(key, StandardCharsets.ISO_8859_1);
    }

    static String of(String key) {
        return of(key.getBytes(StandardCharsets.UTF_8));
    }

    static byte[] bytes(String ordered) {
        return ordered.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** The key as text; empty if it is not UTF-8, so that no client could ask for it. */
    static Optional<String> text(String ordered) {
        try {
            return Optional.of(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes(ordered))).toString());
        } catch (CharacterCodingException notText) {
            return Optional.empty();
        }
    }
}
