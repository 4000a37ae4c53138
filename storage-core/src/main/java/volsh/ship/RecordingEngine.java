package volsh.ship;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import volsh.engine.MetaEngine;

/**
 * An engine that leaves what each transaction has written in the change log, in the same transaction, if the volume ships
 * its metadata. One that does not pays nothing: whether it does is read when the engine is opened. It can be switched on
 * only while nobody has the volume open, so whoever opens it {@link #refresh looks again} behind registering; it can be
 * switched off at any time, because every recorded transaction reads that anyway.
 *
 * <p>Once another host has taken the volume over, every change of it is refused as read-only; a session may still come
 * and go, so that it can be read.
 */
public final class RecordingEngine implements MetaEngine {
    private final MetaEngine engine;
    private final InstantSource clock;
    private volatile boolean recording;

    /** Takes the engine over, also when it throws. */
    public RecordingEngine(MetaEngine engine, InstantSource clock) throws IOException {
        this.engine = engine;
        this.clock = clock;
        try {
            refresh();
        } catch (IOException | RuntimeException failed) {
            try (engine) {
                throw failed;
            }
        }
    }

    /** Looks whether changes are to be recorded. */
    public void refresh() throws IOException {
        recording = new ShippingLog(engine).counter().on();
    }

    /** Whether changes are recorded, by the last look. */
    public boolean isRecording() {
        return recording;
    }

    /** The engine below, for those whose changes are not to be recorded. */
    public MetaEngine engine() {
        return engine;
    }

    @Override
    public <R> R transact(Work<R> work) throws IOException {
        return engine.transact(recording ? recorded(work) : work);
    }

    @Override
    public <R> R transactFreeing(Work<R> work) throws IOException {
        return engine.transactFreeing(recording ? recorded(work) : work);
    }

    @Override
    public <R> R transactRemoving(Work<R> work) throws IOException {
        return engine.transactRemoving(recording ? recorded(work) : work);
    }

    @Override
    public long reusableBytes() throws IOException {
        return engine.reusableBytes();
    }

    @Override
    public void keepReserve() {
        engine.keepReserve();
    }

    private <R> Work<R> recorded(Work<R> work) {
        return tx -> {
            var written = new RecordingTransaction(tx);
            R result = work.run(written);
            written.finish(clock);
            return result;
        };
    }

    @Override
    public <R> R read(Work<R> work) throws IOException {
        return engine.read(work);
    }

    @Override
    public <R> R survey(Work<R> work) throws IOException {
        return engine.survey(work);
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
    public Following follow(Follower follower) {
        return engine.follow(follower);
    }

    @Override
    public void close() throws IOException {
        engine.close();
    }
}
