package volsh.vfs;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;
import volsh.engine.MetaEngine;
import volsh.meta.Intrusion;

/** An engine whose next read is followed by something, once, before its caller learns the answer. */
record AfterRead(MetaEngine delegate, AtomicReference<Intrusion.Act> next) implements MetaEngine {
    AfterRead(MetaEngine delegate) {
        this(delegate, new AtomicReference<>());
    }

    void then(Intrusion.Act act) {
        next.set(act);
    }

    @Override
    public <R> R transact(Work<R> work) throws IOException {
        return delegate.transact(work);
    }

    @Override
    public <R> R read(Work<R> work) throws IOException {
        R result = delegate.read(work);
        var act = next.getAndSet(null);
        if (act != null) {
            act.run();
        }
        return result;
    }

    @Override
    public void sync() throws IOException {
        delegate.sync();
    }

    @Override
    public void close() throws IOException {
        delegate.close();
    }
}
