package volsh.block;

import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * The name of a block in a store: lower case letters, digits, dots, dashes and underscores in {@code /}-separated
 * parts.
 */
public record BlockKey(String text) implements Comparable<BlockKey> {
    private static final Pattern SHAPE = Pattern.compile("[a-z0-9_][a-z0-9._-]*(/[a-z0-9_][a-z0-9._-]*)*");
    private static final Pattern BLOCK = Pattern.compile("blocks/[0-9a-f]{2}/([0-9a-f]{16})");

    public BlockKey {
        if (!isKey(text)) {
            throw new IllegalArgumentException("not a block key: '%s'".formatted(text));
        }
    }

    /** Whether {@code text} may be a key. */
    public static boolean isKey(String text) {
        return text.length() <= 512 && SHAPE.matcher(text).matches();
    }

    /** The key of block {@code id}: spread over 256 prefixes by its lowest byte. */
    public static BlockKey of(long id) {
        String hex = "%016x".formatted(id);
        return new BlockKey("blocks/" + hex.substring(14) + "/" + hex);
    }

    /** The id this is the {@link #of key of}; empty for the key of something else. */
    public OptionalLong block() {
        var block = BLOCK.matcher(text);
        return block.matches() ? OptionalLong.of(Long.parseUnsignedLong(block.group(1), 16)) : OptionalLong.empty();
    }

    @Override
    public int compareTo(BlockKey other) {
        return text.compareTo(other.text);
    }

    @Override
    public String toString() {
        return text;
    }
}
