package volsh.engine;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import volsh.engine.memory.Interleaving;

/**
 * An engine of a real database, with something of a test's that comes in between. What that returns is not asked:
 * nobody can make a database run a work again.
 */
public abstract class Interleaved implements MetaEngine {
    final MetaEngine delegate;
    final Interleaving interleaving;

    Interleaved(MetaEngine delegate, Interleaving interleaving) {
        this.delegate = delegate;
        this.interleaving = interleaving;
    }

    /** Just before each transaction: where one excludes all others from its first read on, nothing can come later. */
    public static final class Before extends Interleaved {
        public Before(MetaEngine delegate, Interleaving interleaving) {
            super(delegate, interleaving);
        }

        @Override
        public <R> R transact(Work<R> work) throws IOException {
            interleaving.intrude(1);
            return delegate.transact(work);
        }
    }

    /** Between the reads of a work and its commit, each time it is run. */
    public static final class Within extends Interleaved {
        public Within(MetaEngine delegate, Interleaving interleaving) {
            super(delegate, interleaving);
        }

        @Override
        public <R> R transact(Work<R> work) throws IOException {
            var attempts = new AtomicInteger();
            return delegate.transact(tx -> {
                try {
                    return work.run(tx);
                } finally {
                    interleaving.intrude(attempts.incrementAndGet());
                }
            });
        }
    }

    @Override
    public <R> R read(Work<R> work) throws IOException {
        return delegate.read(work);
    }

    @Override
    public <R> R survey(Work<R> work) throws IOException {
        return delegate.survey(work);
    }

    @Override
    public void sync() throws IOException {
        delegate.sync();
    }

    @Override
    public boolean countsEntries() {
        return delegate.countsEntries();
    }

    @Override
    public void close() throws IOException {
        delegate.close();
    }
}
