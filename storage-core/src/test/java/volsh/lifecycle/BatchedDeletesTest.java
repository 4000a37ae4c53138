package volsh.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.Forwarding;
import volsh.block.memory.MemoryBlockStore;

/** Many objects go in few requests. */
@Tag("volume")
final class BatchedDeletesTest {
    private static final int OBJECTS = 2_530;

    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicLong told = new AtomicLong();
    private final DestructionWatcher watcher = new DestructionWatcher() {
        @Override
        public void deleted(long bytes) {
            told.addAndGet(bytes);
        }
    };

    private static MemoryBlockStore filled() throws IOException {
        var store = new MemoryBlockStore();
        for (int i = 1; i <= OBJECTS; i++) {
            store.put(BlockKey.of(i), ByteBuffer.wrap(new byte[2]));
        }
        return store;
    }

    private record Requests(BlockStore delegate, AtomicInteger count, int fails) implements Forwarding {
        @Override
        public void deleteAll(List<BlockKey> keys) throws IOException {
            if (count.incrementAndGet() == fails) {
                throw new IOException("away");
            }
            delegate.deleteAll(keys);
        }
    }

    private long delete(BlockStore store) throws IOException {
        try (var listed = store.list("blocks/"); var deletes = new BatchedDeletes(store, watcher)) {
            for (var object : (Iterable<BlockStore.Listed>) listed.toList()::iterator) {
                deletes.add(object);
            }
            return deletes.finish();
        }
    }

    @Test
    void allGoInBatches() throws Exception {
        var store = filled();
        assertThat(delete(new Requests(store, requests, -1))).isEqualTo(OBJECTS);
        assertThat(told.get()).isEqualTo(2L * OBJECTS);
        assertThat(requests.get()).isLessThanOrEqualTo(OBJECTS / 100 + 1);
        try (var left = store.list("")) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void aFailureIsToldAndTheNextRunGoesOn() throws Exception {
        var store = filled();
        assertThatThrownBy(() -> delete(new Requests(store, requests, 7))).isInstanceOf(IOException.class)
                .hasMessage("away");
        delete(new Requests(store, requests, -1));
        try (var left = store.list("")) {
            assertThat(left).isEmpty();
        }
    }
}
