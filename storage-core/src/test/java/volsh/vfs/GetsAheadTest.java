package volsh.vfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.Forwarding;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.engine.memory.MemoryMetaEngine;
import volsh.fs.Name;
import volsh.fs.Owner;

/** A file of many blocks, such as a shard of a view, is loaded ahead with several gets at a time. */
final class GetsAheadTest {
    private static final int BLOCK = 64 << 10;
    private static final int BLOCKS = 20;
    private static final int TOGETHER = 4;

    /** A store whose first gets are answered when enough of them have come. */
    private record Meeting(BlockStore delegate, CountDownLatch all, AtomicInteger gets) implements Forwarding {
        @Override
        public int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
            gets.incrementAndGet();
            all.countDown();
            try {
                assertThat(all.await(1, TimeUnit.MINUTES)).as("%d gets at a time", TOGETHER).isTrue();
            } catch (InterruptedException stop) {
                throw new IOException(stop);
            }
            return delegate.get(key, offset, target);
        }
    }

    @Test
    void partsInDifferentBlocksAreGotTogether() throws IOException {
        var engine = new MemoryMetaEngine();
        var store = new MemoryBlockStore();
        var settings = new ChunkSettings(BLOCK, 0, 4 << 20, 16 << 20);
        var content = new byte[BLOCKS * BLOCK];
        new Random(1).nextBytes(content);
        try (var executor = Executors.newCachedThreadPool()) {
            try (var writer = TestVolume.open(engine, store, settings, executor, InstantSource.system());
                    var file = writer.vfs().create(1, Name.of("f"), 0644, Owner.ROOT)) {
                file.write(0, ByteBuffer.wrap(content));
            }
            var meeting = new Meeting(store, new CountDownLatch(TOGETHER), new AtomicInteger());
            try (var volume = TestVolume.open(engine, meeting, settings, executor, InstantSource.system())) {
                long ino = volume.names().lookup(1, Name.of("f")).ino();
                assertThat(volume.caches().prefetch(ino)).as("what did not fit").isZero();
                assertThat(meeting.gets()).hasValue(BLOCKS);
                var read = ByteBuffer.allocate(content.length);
                try (var file = volume.vfs().open(ino)) {
                    file.read(0, read);
                }
                assertThat(read.array()).isEqualTo(content);
                assertThat(meeting.gets()).as("all was there").hasValue(BLOCKS);
            }
        }
    }
}
