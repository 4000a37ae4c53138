package volsh.fs;

/**
 * The mode of a new file together with the umask of the process that makes it. Which of its bits hold is known only
 * where the directory is: a default access control list there takes the place of the umask.
 */
public final class Umask {
    private static final int SHIFT = 16;
    private static final int MODE = (1 << SHIFT) - 1;
    private static final int BITS = 0777;

    private Umask() {}

    /** A mode that carries a umask. */
    public static int with(int mode, int umask) {
        return mode & MODE | (umask & BITS) << SHIFT;
    }

    /** The mode alone, as if there were no umask. */
    public static int ignored(int mode) {
        return mode & MODE;
    }

    /** The mode without the bits of its umask. */
    public static int applied(int mode) {
        return mode & MODE & ~(mode >>> SHIFT);
    }
}
