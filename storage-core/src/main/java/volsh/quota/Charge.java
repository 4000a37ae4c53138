package volsh.quota;

import volsh.engine.Delta;

/** Bytes and inodes that an account gets or gives. */
public record Charge(long bytes, long inodes) {
    public static final Charge NOTHING = new Charge(0, 0);

    public Charge plus(Charge other) {
        return new Charge(bytes + other.bytes, inodes + other.inodes);
    }

    public Charge minus(Charge other) {
        return new Charge(bytes - other.bytes, inodes - other.inodes);
    }

    /** What it takes; what it gives is nothing. */
    Charge growth() {
        return new Charge(Math.max(0, bytes), Math.max(0, inodes));
    }

    boolean isNothing() {
        return bytes == 0 && inodes == 0;
    }

    /** Is there no less here than there? */
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
