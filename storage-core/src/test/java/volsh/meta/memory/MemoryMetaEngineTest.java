package volsh.meta.memory;

import volsh.meta.MetaEngine;
import volsh.meta.MetaEngineContract;
import volsh.meta.MetaEngineRaces;

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
