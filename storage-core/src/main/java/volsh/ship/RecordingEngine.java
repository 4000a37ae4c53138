package volsh.ship;

import java.io.IOException;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;
import volsh.engine.ForwardingEngine;
import volsh.engine.MetaEngine;

/**
 * An engine that records the writes of each transaction in the change log, in the same transaction, if the volume ships
 * its metadata. Otherwise it costs nothing: the setting is read when the engine is opened. It can be switched on only
 * while the volume is not open elsewhere, so an opener {@link #refresh refreshes} after registering; it can be switched
 * off at any time, because every recorded transaction reads the setting anyway.
 *
 * <p>Once another host has taken the volume over, every change is refused as read-only; sessions may still be opened
 * and closed for reading.
 */
public final class RecordingEngine extends ForwardingEngine {
    private final InstantSource clock;
    private volatile boolean recording;

    /** Takes ownership of the engine, also when it throws. */
    public RecordingEngine(MetaEngine engine, InstantSource clock) throws IOException {
        super(engine);
        this.clock = clock;
        try {
            refresh();
        } catch (IOException | RuntimeException failed) {
            try (engine) {
                throw failed;
            }
        }
    }

    /** Reads again whether changes are to be recorded. */
    public void refresh() throws IOException {
        recording = new ShippingLog(engine()).counter().on();
    }

    /** Whether changes are recorded, as of the last refresh. */
    public boolean isRecording() {
        return recording;
    }

    @Override
    public <R extends @Nullable Object> R transact(Work<R> work) throws IOException {
        return super.transact(recording ? recorded(work) : work);
    }

    @Override
    public <R extends @Nullable Object> R transactFreeing(Work<R> work) throws IOException {
        return super.transactFreeing(recording ? recorded(work) : work);
    }

    @Override
    public <R extends @Nullable Object> R transactRemoving(Work<R> work) throws IOException {
        return super.transactRemoving(recording ? recorded(work) : work);
    }

    private <R> Work<R> recorded(Work<R> work) {
        return tx -> {
            var written = new RecordingTransaction(tx);
            R result = work.run(written);
            written.finish(clock);
            return result;
        };
    }
}
