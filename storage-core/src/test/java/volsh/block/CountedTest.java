package volsh.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import volsh.block.Counted.Traffic;
import volsh.block.memory.MemoryBlockStore;

final class CountedTest implements BlockStoreContract {
    @Override
    public BlockStore open() {
        return new Counted(new MemoryBlockStore());
    }

    @Test
    void countsWhatSucceeds() throws IOException {
        var store = new Counted(new MemoryBlockStore());
        store.put(BlockKey.of(1), ByteBuffer.wrap(new byte[100]));
        store.get(BlockKey.of(1), 90, ByteBuffer.allocate(50));
        assertThatThrownBy(() -> store.get(BlockKey.of(2), 0, ByteBuffer.allocate(1))).isInstanceOf(NoSuchBlockException.class);
        assertThat(store.traffic()).isEqualTo(new Traffic(1, 10, 1, 100, 0, store.traffic().getNanos()));
        assertThat(store.traffic().minus(new Traffic(1, 4, 0, 0, 0, store.traffic().getNanos()))).isEqualTo(new Traffic(0, 6, 1, 100, 0, 0));
        assertThat(store.traffic().getNanos()).isPositive();
    }
}
