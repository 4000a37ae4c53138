package volsh.vfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.Forwarding;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.engine.memory.MemoryMetaEngine;
import volsh.fs.Name;
import volsh.fs.Owner;

/** Two who append to one file through volumes of their own, while their store fails now and then. */
final class SharedAppendTest {
    private static final int SEEDS = Boolean.getBoolean("volsh.long") ? 500 : 20;

    private final ExecutorService executor = Executors.newFixedThreadPool(4, Thread.ofPlatform().daemon().factory());

    @AfterEach
    void stop() {
        executor.shutdown();
    }

    /** Refuses one put in five while it is told to. */
    private record Moody(BlockStore delegate, Random random, AtomicInteger refused) implements Forwarding {
        @Override
        public void put(BlockKey key, ByteBuffer data) throws IOException {
            synchronized (random) {
                if (random.nextInt(5) == 0) {
                    refused.incrementAndGet();
                    throw new IOException("in a bad mood");
                }
            }
            delegate.put(key, data);
        }
    }

    @Test
    void everyRecordIsThereOnceInOrderAndWhole() throws IOException {
        var refused = new AtomicInteger();
        for (int seed = 0; seed < SEEDS; seed++) {
            run(seed, refused);
        }
        assertThat(refused.get()).as("refused puts").isPositive();
    }

    private void run(long seed, AtomicInteger refused) throws IOException {
        var random = new Random(seed);
        var settings = new ChunkSettings(8192, random.nextBoolean() ? 2048 : 0, 1 << 20, 64 << 10);
        var engine = new MemoryMetaEngine();
        var store = new MemoryBlockStore();
        var moody = new Moody(store, random, refused);
        try (var one = TestVolume.open(engine, moody, settings, executor, new ManualClock());
                var two = TestVolume.open(engine, moody, settings, executor, new ManualClock())) {
            long ino = one.names().makeNode(1, Name.of("log"), volsh.fs.FileKind.REGULAR, 0644, Owner.ROOT, 0).ino();
            var files = List.of(one.vfs().open(ino), two.vfs().open(ino));
            var written = List.of(new ArrayList<String>(), new ArrayList<String>());
            for (int i = 0; i < 60; i++) {
                int who = random.nextInt(2);
                var record = "<%d:%d:%s>\n".formatted(who, i,
                        "x".repeat(random.nextInt(random.nextInt(8) == 0 ? 20_000 : 300)));
                insist(() -> files.get(who).append(ByteBuffer.wrap(record.getBytes(StandardCharsets.US_ASCII))));
                written.get(who).add(record);
                switch (random.nextInt(6)) {
                    case 0 -> insist(() -> files.get(who).flush());
                    case 1 -> insist(() -> files.get(who).read(0, ByteBuffer.allocate(10)));
                    default -> { }
                }
            }
            for (var file : files) {
                insist(file::flush);
            }
            var bytes = ByteBuffer.allocate(2 << 20);
            insist(() -> two.vfs().open(ino).read(0, bytes.clear()));
            var lines = new String(bytes.array(), 0, bytes.position(), StandardCharsets.US_ASCII).lines()
                    .map(line -> line + "\n").toList();
            assertThat(lines).as("seed %d", seed).hasSize(60);
            for (int who = 0; who < 2; who++) {
                var mine = "<" + who + ":";
                assertThat(lines.stream().filter(line -> line.startsWith(mine)).toList()).as("seed %d", seed)
                        .isEqualTo(written.get(who));
            }
            for (var file : files) {
                file.close();
            }
        }
    }

    private interface Attempt {
        void run() throws IOException;
    }

    /** A record whose append failed was not taken; a flush that failed is tried again. */
    private static void insist(Attempt attempt) throws IOException {
        for (int i = 0; ; i++) {
            try {
                attempt.run();
                return;
            } catch (IOException mood) {
                if (i == 50) {
                    throw mood;
                }
            }
        }
    }
}
