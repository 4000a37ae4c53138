package volsh.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.Forwarding;
import volsh.block.memory.MemoryBlockStore;
import volsh.unit.ByteSize;

/** Every request is counted and compared, and nothing is left in the store. */
final class StoreBenchTest {
    private final MemoryBlockStore store = new MemoryBlockStore();
    private final AtomicLong moved = new AtomicLong();
    private boolean stopped;

    private StoreBench bench(BlockStore over) {
        return new StoreBench(over, new Terms(Path.of("/"), new ByteSize(64 << 10), new ByteSize(8 << 10), 2,
                Optional.empty(), false, 1, () -> stopped, moved::addAndGet), 1024);
    }

    private long left() throws IOException {
        try (var listed = store.list("")) {
            return listed.count();
        }
    }

    @Test
    void countsAndTidies() throws IOException {
        var rows = bench(store).run();
        assertThat(rows).extracting(Measurement::phase).containsExactly("put", "get", "range", "delete");
        assertThat(rows).allSatisfy(row -> assertThat(row.operations()).isEqualTo(8));
        assertThat(moved.get()).isEqualTo(2 * (64 << 10) + 8 * 1024);
        assertThat(left()).isZero();
    }

    private record Lying(BlockStore delegate) implements Forwarding {
        @Override
        public int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
            int start = target.position();
            int count = delegate.get(key, offset, target);
            target.put(start, (byte) (target.get(start) + 1));
            return count;
        }
    }

    @Test
    void otherBytesAreNoticedAndNothingIsLeft() throws IOException {
        assertThatThrownBy(() -> bench(new Lying(store)).run()).isInstanceOf(IOException.class)
                .hasMessageContaining("different bytes");
        assertThat(left()).isZero();
    }

    @Test
    void whoIsStoppedTidies() throws IOException {
        var stopping = new Forwarding() {
            @Override
            public BlockStore delegate() {
                return store;
            }

            @Override
            public void put(BlockKey key, ByteBuffer data) throws IOException {
                store.put(key, data);
                stopped = true;
            }
        };
        bench(stopping).run();
        assertThat(left()).isZero();
    }
}
