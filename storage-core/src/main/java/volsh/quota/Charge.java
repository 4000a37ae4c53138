package volsh.quota;

import volsh.engine.Delta;

/** A change of an account's bytes and inodes. */
public record Charge(long bytes, long inodes) {
    public static final Charge NOTHING = new Charge(0, 0);

    public Charge plus(Charge other) {
        return new Charge(bytes + other.bytes, inodes + other.inodes);
    }

    public Charge minus(Charge other) {
        return new Charge(bytes - other.bytes, inodes - other.inodes);
    }

    /** Its growth; reductions count as nothing. */
    Charge growth() {
        return new Charge(Math.max(0, bytes), Math.max(0, inodes));
    }

    boolean isNothing() {
        return bytes == 0 && inodes == 0;
    }

    /** Whether both numbers are at least those of the other. */
    boolean covers(Charge other) {
        return bytes >= other.bytes && inodes >= other.inodes;
    }

    static Charge parse(byte[] counter) {
        var sums = Delta.parse(counter).sums();
        return new Charge(sums[0], sums[1]);
    }

    public Delta delta() {
        return new Delta(new long[] {bytes, inodes}, new long[0]);
    }
}
