package volsh.engine.memory;

import java.io.IOException;

/** A hook between a work's reads and its commit: where a test puts a conflict. */
@FunctionalInterface
public interface Interleaving {
    /** Nothing happens. */
    Interleaving NONE = attempt -> false;

    /**
     * Called without any lock after the work has ended and before its commit, so it may run transactions of its own
     * (which also come here). {@code attempt} counts from 1 for each transaction.
     *
     * @return true to have the work run again even if nothing it read has changed
     */
    boolean intrude(int attempt) throws IOException;
}
