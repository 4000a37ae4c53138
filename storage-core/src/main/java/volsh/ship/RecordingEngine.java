package volsh.ship;

import java.io.IOException;
import java.time.InstantSource;
import volsh.meta.MetaEngine;

/**
 * An engine that leaves what each transaction has written in the change log, in the same transaction, if the volume ships
 * its metadata. The log's counter says so, in every transaction anew: all processes that have the volume open begin
 * and end at the same change. A volume that does not ship pays for one read of that row.
 *
 * <p>Once another host has taken the volume over, every change of it is refused as read-only; a session may still come
 * and go, so that it can be read.
 */
public record RecordingEngine(MetaEngine engine, InstantSource clock) implements MetaEngine {
    @Override
    public <R> R transact(Work<R> work) throws IOException {
        return engine.transact(tx -> {
            var recording = new Recording(tx);
            R result = work.run(recording);
            recording.finish(clock);
            return result;
        });
    }

    @Override
    public <R> R read(Work<R> work) throws IOException {
        return engine.read(work);
    }

    @Override
    public void sync() throws IOException {
        engine.sync();
    }

    @Override
    public void close() throws IOException {
        engine.close();
    }
}
