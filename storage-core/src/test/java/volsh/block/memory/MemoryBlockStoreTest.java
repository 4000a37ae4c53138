package volsh.block.memory;

import volsh.block.BlockStore;
import volsh.block.BlockStoreContract;

final class MemoryBlockStoreTest implements BlockStoreContract {
    @Override
    public BlockStore open() {
        return new MemoryBlockStore();
    }
}
