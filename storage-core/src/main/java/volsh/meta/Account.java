package volsh.meta;

import java.nio.ByteBuffer;

/** Whose bytes and inodes are counted together: the whole volume's, or those of a project, which is a directory with all below it. */
public record Account(Kind kind, long id) {
    static final int BYTES = 9;

    /** What an account is of. */
    public enum Kind {
        VOLUME('v'),
        PROJECT('p');

        private final char letter;

        Kind(char letter) {
            this.letter = letter;
        }
    }

    public static final Account VOLUME = new Account(Kind.VOLUME, 0);

    public static Account project(int id) {
        return new Account(Kind.PROJECT, Integer.toUnsignedLong(id));
    }

    void put(ByteBuffer out) {
        out.put((byte) kind.letter).putLong(id);
    }

    static Account parse(ByteBuffer in) {
        byte letter = in.get();
        for (var kind : Kind.values()) {
            if (kind.letter == letter) {
                return new Account(kind, in.getLong());
            }
        }
        throw new IllegalArgumentException("not an account: " + letter);
    }
}
