package volsh.meta;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import volsh.meta.memory.Interleaving;

/** An engine of a real database, with something of a test's that comes in between. What that returns is not asked: nobody can make a database run a work again. */
abstract class Interleaved implements MetaEngine {
    final MetaEngine delegate;
    final Interleaving interleaving;

    Interleaved(MetaEngine delegate, Interleaving interleaving) {
        this.delegate = delegate;
        this.interleaving = interleaving;
    }

    /** Just before each transaction: where one excludes all others from its first read on, nothing can come later. */
    static final class Before extends Interleaved {
        Before(MetaEngine delegate, Interleaving interleaving) {
            super(delegate, interleaving);
        }

        @Override
        public <R> R transact(Work<R> work) throws IOException {
            interleaving.intrude(1);
            return delegate.transact(work);
        }
    }

    /** Between the reads of a work and its commit, each time it is run. */
    static final class Within extends Interleaved {
        Within(MetaEngine delegate, Interleaving interleaving) {
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
