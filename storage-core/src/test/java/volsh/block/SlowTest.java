package volsh.block;

import static org.assertj.core.api.Assertions.assertThat;
import static volsh.block.BlockStoreContract.bytes;
import static volsh.block.BlockStoreContract.key;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import volsh.block.memory.MemoryBlockStore;

final class SlowTest implements BlockStoreContract {
    private final FakePause pause = new FakePause();

    @Override
    public BlockStore open() {
        return new Slow(new MemoryBlockStore(), Duration.ofMillis(80), Duration.ofMillis(10), pause);
    }

    @Test
    void everyCallWaits() throws Exception {
        try (BlockStore store = open()) {
            store.put(key("a"), bytes("x"));
            store.list("").close();
            store.delete(key("a"));
        }
        assertThat(pause.slept).hasSize(3)
                .allSatisfy(each -> assertThat(each).isBetween(Duration.ofMillis(80), Duration.ofMillis(90)));
    }
}
