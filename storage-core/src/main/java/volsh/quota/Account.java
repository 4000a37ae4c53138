package volsh.quota;

import java.nio.ByteBuffer;

/** A unit of accounting: the whole volume, a project (a directory tree), or an owner. */
public record Account(Kind kind, long id) {
    public static final int BYTES = 9;

    /** The kinds of accounts. */
    public enum Kind {
        VOLUME('v'),
        PROJECT('p'),
        USER('u'),
        GROUP('g');

        private final char letter;

        Kind(char letter) {
            this.letter = letter;
        }
    }

    public Account {
        if (id < 0 || id > 0xffff_ffffL) {
            throw new IllegalArgumentException("invalid number of a project, user or group: " + id);
        }
    }

    private static final Kind[] KINDS = Kind.values();

    public static final Account VOLUME = new Account(Kind.VOLUME, 0);

    public static Account project(int id) {
        return new Account(Kind.PROJECT, Integer.toUnsignedLong(id));
    }

    public static Account user(int uid) {
        return new Account(Kind.USER, Integer.toUnsignedLong(uid));
    }

    public static Account group(int gid) {
        return new Account(Kind.GROUP, Integer.toUnsignedLong(gid));
    }

    /** Whether it is of a user or a group, by the owner of the inode. */
    public boolean isOwner() {
        return kind == Kind.USER || kind == Kind.GROUP;
    }

    /** By hand, like hashCode: those of records are generated on first use, which took 4 ms of every command. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Account that && kind == that.kind && id == that.id;
    }

    @Override
    public int hashCode() {
        return 31 * kind.ordinal() + Long.hashCode(id);
    }

    void put(ByteBuffer out) {
        out.put((byte) kind.letter).putLong(id);
    }

    static Account parse(ByteBuffer in) {
        byte letter = in.get();
        for (var kind : KINDS) {
            if (kind.letter == letter) {
                return new Account(kind, in.getLong());
            }
        }
        throw new IllegalArgumentException("invalid kind of account: " + letter);
    }
}
