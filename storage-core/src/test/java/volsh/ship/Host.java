package volsh.ship;

import java.io.IOException;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import volsh.block.BlockStore;
import volsh.engine.MetaEngine;
import volsh.engine.memory.MemoryMetaEngine;

/** A machine with a copy of the metadata. It remembers the rows as they were behind each change. */
final class Host implements AutoCloseable {
    static final UUID VOLUME = new UUID(1, 2);
    static final Sizes SMALL = new Sizes(2_000, 3_000, 6_000);

    final String name;
    final MetaEngine engine;
    final RecordingEngine recording;
    final Map<Long, Rows> history;
    final InstantSource clock;

    private Host(String name, MetaEngine engine, Map<Long, Rows> history, InstantSource clock) throws IOException {
        this.name = name;
        this.engine = new Remembering(engine, history);
        this.recording = new RecordingEngine(this.engine, clock);
        this.history = history;
        this.clock = clock;
    }

    /** With a new volume, whose changes are recorded from the first one on. */
    static Host first(InstantSource clock) throws IOException {
        var engine = new MemoryMetaEngine();
        new ShippingLog(engine).switchOn(new UUID(7, 7), clock.instant());
        return new Host("first", engine, new HashMap<>(Map.of(0L, Rows.of(engine))), clock);
    }

    /** Attaches the volume. */
    static Host attached(String name, BlockStore store, Map<Long, Rows> history, InstantSource clock)
            throws IOException {
        var engine = new MemoryMetaEngine();
        var restore = new Restore(store, VOLUME, engine, bytes -> { });
        restore.run();
        var host = new Host(name, engine, history, clock);
        restore.takeOver(host.identity(), new byte[] {1}, clock);
        host.recording.refresh();
        history.put(restore.last() + 1, Rows.of(engine));
        return host;
    }

    Identity identity() {
        return new Identity(VOLUME, name, "made");
    }

    Shipping shipping(BlockStore store) {
        return new Shipping(identity(), engine, store, clock, ShippingTurn.FREE, SMALL);
    }

    ShippingLog log() {
        return new ShippingLog(engine);
    }

    /** Looks at all rows behind each change: one thread only. */
    private record Remembering(MetaEngine engine, Map<Long, Rows> history) implements MetaEngine {
        @Override
        public <R> R transact(Work<R> work) throws IOException {
            R result = engine.transact(work);
            long last = new ShippingLog(engine).counter().last();
            if (!history.containsKey(last)) {
                history.put(last, Rows.of(engine));
            }
            return result;
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

    @Override
    public void close() throws IOException {
        engine.close();
    }
}
