package volsh.vfs;

/**
 * Which small files are worth storing together.
 *
 * @param part      a file is small if a block could hold as many like it
 * @param blocksMin as many blocks become one, at least
 * @param kept      whether also files move whose old blocks a snapshot keeps
 * @param dry       whether to look only
 * @param parallel  whether files are read by several threads
 */
public record PackingRules(int part, int blocksMin, boolean kept, boolean dry, boolean parallel) {
    /** On request: all that helps. */
    public static final PackingRules NOW = new PackingRules(4, 2, true, false, true);
    /** In the background: what helps much and costs no space for long. */
    public static final PackingRules GENTLE = new PackingRules(4, 8, false, false, false);

    /** These rules, to look only. */
    public PackingRules dryRun() {
        return new PackingRules(part, blocksMin, kept, true, parallel);
    }
}
