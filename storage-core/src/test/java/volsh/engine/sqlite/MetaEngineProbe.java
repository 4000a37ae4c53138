package volsh.engine.sqlite;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;
import volsh.engine.Delta;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.engine.Race;
import volsh.engine.memory.MemoryMetaEngine;

/** Prints what reads, transactions and syncs cost. Argument: a directory on the disk to measure. */
final class MetaEngineProbe {
    private static final int ROWS = 200_000;

    private MetaEngineProbe() {}

    public static void main(String[] arguments) throws Exception {
        var directory = Files.createTempDirectory(Path.of(arguments[0]), "probe");
        var path = directory.resolve("meta.db");
        try (var engine = SqliteMetaEngine.create(path)) {
            measure("sqlite", engine);
        }
        try (var files = Files.list(directory)) {
            for (var file : files.toList()) {
                System.out.println(file.getFileName() + " " + Files.size(file) + " bytes");
                Files.delete(file);
            }
        }
        Files.delete(directory);
        try (var engine = new MemoryMetaEngine()) {
            measure("memory", engine);
        }
    }

    private static void measure(String name, MetaEngine engine) throws Exception {
        long start = System.nanoTime();
        for (int i = 0; i < ROWS; i += 500) {
            int first = i;
            engine.transact(tx -> {
                for (int row = first; row < first + 500; row++) {
                    tx.put(key(row), new byte[60]);
                }
                return null;
            });
        }
        System.out.printf("%s: load %,d rows/s%n", name, (long) (ROWS / ((System.nanoTime() - start) / 1e9)));
        for (int round = 0; round < 3; round++) {
            System.out.println(name + " round " + round);
            time("read of 2 gets", 1, 30_000, () -> engine.read(tx -> {
                tx.get(random());
                return tx.get(random());
            }));
            time("read of scan 100", 1, 2_000, () -> engine.read(tx -> {
                int from = ThreadLocalRandom.current().nextInt(ROWS - 200);
                return tx.scan(key(from), key(from + 200), 100);
            }));
            for (int threads : new int[] {1, 8, 32}) {
                int rounds = threads == 1 ? 10_000 : 40_000 / threads;
                time("transact get + 2 puts, hold, add", threads, rounds, () -> create(engine));
            }
            time("2 gets beside that", 4, 10_000, () -> {
                if (Thread.currentThread().getName().endsWith("0")) {
                    create(engine);
                } else {
                    engine.read(tx -> {
                        tx.get(random());
                        return tx.get(random());
                    });
                }
            });
            time("transact + sync", 1, 300, () -> {
                create(engine);
                engine.sync();
            });
            time("transact + sync", 8, 100, () -> {
                create(engine);
                engine.sync();
            });
        }
    }

    /** About what creating a file does. */
    private static void create(MetaEngine engine) throws IOException {
        engine.transact(tx -> {
            var name = key(ROWS + ThreadLocalRandom.current().nextInt(1 << 30));
            if (tx.get(name) == null) {
                tx.hold(key(7));
                tx.put(name, new byte[20]);
                byte[] inode = ByteBuffer.allocate(9).put((byte) 2).putLong(System.nanoTime()).array();
                tx.put(MetaKey.of(inode), new byte[80]);
                tx.add(MetaKey.of((byte) 3), Delta.of(1));
            }
            return null;
        });
    }

    private static void time(String what, int threads, int rounds, Step step) throws Exception {
        var process = ProcessHandle.current().info();
        long cpu = process.totalCpuDuration().orElseThrow().toNanos();
        long start = System.nanoTime();
        Race.of(threads, rounds, (thread, round) -> step.run());
        double nanos = System.nanoTime() - start;
        double busy = ProcessHandle.current().info().totalCpuDuration().orElseThrow().toNanos() - cpu;
        double count = (double) threads * rounds;
        System.out.printf("  %-34s %2d threads  %8.1f us until done  %8.1f us of CPU  %,9d/s%n", what, threads,
                nanos / rounds / 1e3, busy / count / 1e3, (long) (count / (nanos / 1e9)));
    }

    private interface Step {
        void run() throws IOException;
    }

    private static MetaKey random() {
        return key(ThreadLocalRandom.current().nextInt(ROWS));
    }

    private static MetaKey key(int row) {
        return MetaKey.of(ByteBuffer.allocate(13).put((byte) 1).putInt(row / 100).putLong(row).array());
    }
}
