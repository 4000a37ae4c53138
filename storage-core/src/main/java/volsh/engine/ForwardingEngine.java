package volsh.engine;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An engine in front of another one, which it owns: subclasses change what transactions or reads see. */
public abstract class ForwardingEngine implements MetaEngine {
    private final MetaEngine engine;

    /** Takes ownership of the engine. */
    protected ForwardingEngine(MetaEngine engine) {
        this.engine = engine;
    }

    /** The engine behind this one. */
    public final MetaEngine engine() {
        return engine;
    }

    @Override
    public <R extends @Nullable Object> R transact(Work<R> work) throws IOException {
        return engine.transact(work);
    }

    @Override
    public <R extends @Nullable Object> R transactFreeing(Work<R> work) throws IOException {
        return engine.transactFreeing(work);
    }

    @Override
    public <R extends @Nullable Object> R transactRemoving(Work<R> work) throws IOException {
        return engine.transactRemoving(work);
    }

    @Override
    public <R extends @Nullable Object> R read(Work<R> work) throws IOException {
        return engine.read(work);
    }

    @Override
    public <R extends @Nullable Object> R survey(Work<R> work) throws IOException {
        return engine.survey(work);
    }

    @Override
    public void keepReserve() {
        engine.keepReserve();
    }

    @Override
    public long reusableBytes() throws IOException {
        return engine.reusableBytes();
    }

    @Override
    public List<String> inspect(boolean deep) throws IOException {
        return engine.inspect(deep);
    }

    @Override
    public void sync() throws IOException {
        engine.sync();
    }

    @Override
    public Counts counts() {
        return engine.counts();
    }

    @Override
    public boolean countsEntries() {
        return engine.countsEntries();
    }

    @Override
    public Duration silence() {
        return engine.silence();
    }

    @Override
    public boolean isReadOnly() {
        return engine.isReadOnly();
    }

    @Override
    public @Nullable StateMark stateMark() throws IOException {
        return engine.stateMark();
    }

    @Override
    public Following follow(Follower follower) {
        return engine.follow(follower);
    }

    @Override
    public void close() throws IOException {
        engine.close();
    }
}
