package volsh.dataset.shards;

/** Follows work on a dataset. Called by several threads. */
public interface PackObserver {
    /** Bytes of samples that are done; negative if they have to be done again. */
    void packed(long bytes);

    /** Called before each sample; throws to stop the work. */
    void check();
}
