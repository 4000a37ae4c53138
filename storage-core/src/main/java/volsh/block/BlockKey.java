package volsh.block;

import java.util.HexFormat;
import java.util.OptionalLong;
import volsh.fs.ImportedBlock;

/**
 * The name of a block in a store: lower case letters, digits, dots, dashes and underscores in {@code /}-separated
 * parts. If a volume has several stores, the key may also carry the location of the block: the number of its
 * arrangement, and its stored length. Keys of the same name are equal, whatever location they carry.
 */
public record BlockKey(String text, int arrangement, long stored) implements Comparable<BlockKey> {
    /** The arrangement of a key without a location. */
    public static final int UNPLACED = -1;

    private static final int LENGTH_MAX = 512;
    private static final String BLOCKS = "blocks/";
    private static final int ID_AT = BLOCKS.length() + 3;
    private static final int ID_LENGTH = 16;

    public BlockKey {
        if (!isKey(text)) {
            throw new IllegalArgumentException("invalid block key: '%s'".formatted(text));
        }
    }

    public BlockKey(String text) {
        this(text, UNPLACED, 0);
    }

    /**
     * Whether {@code text} may be a key. Written by hand, as every get and put calls this: a pattern took more time
     * than all else in a short command.
     */
    public static boolean isKey(String text) {
        boolean begun = false;   // a part has its first letter, which is not a dot or dash
        for (int i = 0; i < text.length(); i++) {
            char letter = text.charAt(i);
            if (letter == '/' ? !begun : !isLetter(letter) && !(begun && (letter == '.' || letter == '-'))) {
                return false;
            }
            begun = letter != '/';
        }
        return begun && text.length() <= LENGTH_MAX;
    }

    private static boolean isLetter(char letter) {
        return letter >= 'a' && letter <= 'z' || letter >= '0' && letter <= '9' || letter == '_';
    }

    /** The key of block {@code id}: spread over 256 prefixes by its lowest byte. */
    public static BlockKey of(long id) {
        return of(id, UNPLACED, 0);
    }

    /** The key of a block with its location: its arrangement and its stored length. */
    public static BlockKey of(long id, int arrangement, long stored) {
        if (ImportedBlock.is(id)) {
            throw new IllegalArgumentException("block %016x is imported: no store of the volume has it".formatted(id));
        }
        String hex = HexFormat.of().toHexDigits(id);
        return new BlockKey(BLOCKS + hex.substring(ID_LENGTH - 2) + "/" + hex, arrangement, stored);
    }

    /** The id this is the {@link #of key of}; empty for the key of something else. */
    public OptionalLong block() {
        if (text.length() != ID_AT + ID_LENGTH || !text.startsWith(BLOCKS) || text.charAt(ID_AT - 1) != '/'
                || !isHex(BLOCKS.length(), ID_AT - 1) || !isHex(ID_AT, text.length())) {
            return OptionalLong.empty();
        }
        long id = HexFormat.fromHexDigitsToLong(text, ID_AT, text.length());
        return ImportedBlock.is(id) ? OptionalLong.empty() : OptionalLong.of(id);
    }

    private boolean isHex(int from, int to) {
        for (int i = from; i < to; i++) {
            char digit = text.charAt(i);
            if (!(digit >= '0' && digit <= '9' || digit >= 'a' && digit <= 'f')) {
                return false;
            }
        }
        return true;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof BlockKey key && text.equals(key.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
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
