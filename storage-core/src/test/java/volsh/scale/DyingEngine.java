package volsh.scale;

import java.io.IOException;
import volsh.engine.MetaEngine;

/** An engine whose process dies after some more transactions: the next one is never run. */
final class DyingEngine implements MetaEngine {
    private final MetaEngine engine;
    private int left;

    DyingEngine(MetaEngine engine) {
        this.engine = engine;
    }

    static final class Died extends IOException {
        private static final long serialVersionUID = 1;

        Died() {
            super("died");
        }
    }

    void dieAfter(int transactions) {
        left = transactions;
    }

    @Override
    public <R> R transact(Work<R> work) throws IOException {
        if (left-- == 0) {
            throw new Died();
        }
        return engine.transact(work);
    }

    @Override
    public <R> R read(Work<R> work) throws IOException {
        return engine.read(work);
    }

    @Override
    public void sync() throws IOException {
        engine.sync();
    }

    /** Leaves the engine open: it is not this one's. */
    @Override
    public void close() {}
}
