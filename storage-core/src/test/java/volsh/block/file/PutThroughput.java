package volsh.block.file;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import volsh.block.BlockKey;
import volsh.disk.OsDisk;

/** What durable puts cost on a disk: {@code PutThroughput DIRECTORY [BLOCKS]}. Compare with dd conv=fsync. */
final class PutThroughput {
    private static final int LENGTH = 4 << 20;

    private PutThroughput() {}

    public static void main(String[] arguments) throws Exception {
        int blocks = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 256;
        for (int threads : new int[] {1, 4, 8, 16}) {
            Path root = Files.createTempDirectory(Path.of(arguments[0]), "puts");
            try {
                measure(root, threads, blocks);
            } finally {
                try (var tree = Files.walk(root)) {
                    tree.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
                }
            }
        }
    }

    private static void measure(Path root, int threads, int blocks) throws Exception {
        var store = new FileBlockStore(root, new OsDisk());
        var next = new AtomicInteger();
        for (int id = 0; id < 256; id++) {
            store.put(BlockKey.of(100_000 + id), ByteBuffer.allocateDirect(1));
        }
        long start = System.nanoTime();
        try (var pool = Executors.newFixedThreadPool(threads)) {
            for (int thread = 0; thread < threads; thread++) {
                pool.submit(() -> {
                    var data = ByteBuffer.allocateDirect(LENGTH);
                    for (int id = next.getAndIncrement(); id < blocks; id = next.getAndIncrement()) {
                        store.put(BlockKey.of(id), data.putLong(0, id));
                    }
                    return null;
                });
            }
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        System.out.printf("%2d threads: %6.0f MB/s, %5.1f ms per put%n",
                threads, (double) LENGTH * blocks / seconds / 1e6, seconds * 1e3 * threads / blocks);
    }
}
