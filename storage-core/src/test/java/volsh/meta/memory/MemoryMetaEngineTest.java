package volsh.meta.memory;

import volsh.meta.MetaEngine;
import volsh.meta.MetaEngineContract;

final class MemoryMetaEngineTest implements MetaEngineContract {
    @Override
    public MetaEngine open() {
        return new MemoryMetaEngine();
    }

    @Override
    public boolean isShared() {
        return false;
    }
}
