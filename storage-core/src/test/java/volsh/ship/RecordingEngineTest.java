package volsh.ship;

import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import volsh.engine.MetaEngine;
import volsh.engine.MetaEngineContract;
import volsh.engine.MetaEngineRaces;
import volsh.engine.memory.MemoryMetaEngine;

/** An engine whose changes are recorded keeps every promise of one whose are not. */
@Tag("volume")
final class RecordingEngineTest implements MetaEngineContract, MetaEngineRaces {
    private boolean apart = true;

    @Override
    public MetaEngine open() throws IOException {
        var engine = new MemoryMetaEngine();
        new ShippingLog(engine).switchOn(new UUID(7, 7), Instant.now());
        var recording = new RecordingEngine(engine, InstantSource.system());
        return apart ? new Apart(recording) : recording;
    }

    /** The longest key leaves no room for a byte before it. */
    @Test
    @Override
    public void emptyAndLongestValuesAndKeysAreKept() throws Exception {
        apart = false;
        MetaEngineContract.super.emptyAndLongestValuesAndKeysAreKept();
    }

    @Override
    public boolean isShared() {
        return false;
    }

    @Override
    public int rounds() {
        return Boolean.getBoolean("volsh.long") ? 5_000 : 200;
    }
}
