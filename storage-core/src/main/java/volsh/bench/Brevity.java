package volsh.bench;

/**
 * Whether only correctness matters, not speed: in {@code ./check}. Then nothing waits for compilers, and the page cache
 * is not dropped, after which every program of the machine would be read again.
 */
final class Brevity {
    static final boolean WANTED = Boolean.getBoolean("volsh.brief");

    private Brevity() {}
}
