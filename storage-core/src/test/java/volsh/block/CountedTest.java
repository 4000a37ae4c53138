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
        assertThatThrownBy(() -> store.get(BlockKey.of(2), 0, ByteBuffer.allocate(1)))
                .isInstanceOf(NoSuchBlockException.class);
        assertThat(store.traffic()).isEqualTo(new Traffic(1, 10, 1, 100, 0, store.traffic().getNanos()));
        assertThat(store.traffic().minus(new Traffic(1, 4, 0, 0, 0, store.traffic().getNanos())))
                .isEqualTo(new Traffic(0, 6, 1, 100, 0, 0));
        assertThat(store.traffic().getNanos()).isPositive();
    }

    @Test
    void timesAreThoseOfCallsThatSucceed() throws IOException {
        var store = new Counted(new MemoryBlockStore());
        assertThat(store.latencies()).isEmpty();
        for (int i = 1; i <= 100; i++) {
            store.put(BlockKey.of(i), ByteBuffer.wrap(new byte[100]));
        }
        assertThatThrownBy(() -> store.get(BlockKey.of(200), 0, ByteBuffer.allocate(1)))
                .isInstanceOf(NoSuchBlockException.class);
        store.delete(BlockKey.of(1));
        store.list("blocks/").close();
        assertThat(store.latencies()).extracting(Counted.Latency::call).containsExactly("get", "put", "delete", "list");
        assertThat(store.latencies()).extracting(Counted.Latency::failed).containsExactly(1L, 0L, 0L, 0L);
        assertThat(store.latencies()).extracting(each -> each.took().count()).containsExactly(0L, 100L, 1L, 1L);
        var puts = store.latencies().get(1).took();
        assertThat(puts.p50()).isPositive().isLessThanOrEqualTo(puts.p99());
        assertThat(puts.p99()).isLessThanOrEqualTo(puts.max());
        assertThat(puts.total()).isGreaterThanOrEqualTo(100);
        assertThat(store.traffic().others()).isEqualTo(2);
    }
}
