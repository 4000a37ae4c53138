package volsh.quota;

import java.nio.ByteBuffer;

/** Whose bytes and inodes are counted together: the whole volume's, those of a project, which is a directory with all below it, or those of an owner. */
public record Account(Kind kind, long id) {
    public static final int BYTES = 9;

    /** What an account is of. */
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
            throw new IllegalArgumentException("no number of a project, user or group: " + id);
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

    /** Of a user or a group, by the owner of the inode. */
    public boolean isOwner() {
        return kind == Kind.USER || kind == Kind.GROUP;
    }

    /** By hand, as well as the next: what records have of their own is put together at its first use, which took 4 ms of every command that writes. */
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
        throw new IllegalArgumentException("not an account: " + letter);
    }
}
