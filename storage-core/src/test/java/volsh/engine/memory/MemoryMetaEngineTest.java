package volsh.engine.memory;

import volsh.engine.MetaEngine;
import volsh.engine.MetaEngineContract;
import volsh.engine.MetaEngineRaces;

final class MemoryMetaEngineTest implements MetaEngineContract, MetaEngineRaces {
    @Override
    public MetaEngine open() {
        return new MemoryMetaEngine();
    }

    @Override
    public boolean isShared() {
        return false;
    }

    @Override
    public int rounds() {
        return Boolean.getBoolean("volsh.long") ? 20_000 : 1_000;
    }
}
