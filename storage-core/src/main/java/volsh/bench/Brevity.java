package volsh.bench;

/**
 * Whether it does not matter how fast anything is, only that it works: in {@code ./check}. Then nobody waits for compilers, and the page cache is not
 * dropped, after which every program of the machine would read itself again.
 */
final class Brevity {
    static final boolean WANTED = Boolean.getBoolean("volsh.brief");

    private Brevity() {}
}
