package volsh.vfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.BlockStore;
import volsh.block.Hedged;
import volsh.block.Pause;
import volsh.block.RetryPolicy;
import volsh.block.Retrying;
import volsh.block.StoreUrl;
import volsh.block.s3.S3BlockStore;
import volsh.chunk.ChunkSettings;
import volsh.engine.MetaEngine;
import volsh.engine.sqlite.SqliteMetaEngine;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.s3test.FaultProxy;
import volsh.s3test.Faults;
import volsh.s3test.S3Server;

/** Files over a faulty S3 store: every fsync is durable or an error, and after an outage the same open files go on. */
@Tag("wait")
final class S3OutageTest {
    private static final int WRITERS = 4;
    private static final int ROUNDS = Boolean.getBoolean("volsh.long") ? 500 : 20;
    private static final int FILE = 60_000;
    private static final ChunkSettings SETTINGS = new ChunkSettings(16 << 10, 0, 4 << 20);
    private static final RetryPolicy SHORT =
            new RetryPolicy(4, Duration.ofMillis(2), Duration.ofMillis(50), Duration.ofSeconds(20));
    private static final RetryPolicy LONG =
            new RetryPolicy(100, Duration.ofMillis(2), Duration.ofMillis(50), Duration.ofMinutes(5));

    private final long seed = Long.getLong("volsh.seed", System.nanoTime());
    private final Faults faults = Faults.ofAllKinds(seed);
    private final MetaEngine engine;
    private final ExecutorService uploads = Executors.newFixedThreadPool(8, Thread.ofPlatform().daemon().factory());
    private final List<Writer> writers = new ArrayList<>();
    private String bucket;
    private FaultProxy proxy;

    S3OutageTest(@TempDir Path directory) throws IOException {
        engine = SqliteMetaEngine.create(directory.resolve("meta.db"));
    }

    private BlockStore open(String endpoint, RetryPolicy patience) throws IOException {
        return new Retrying(
                new Hedged(S3BlockStore.open(StoreUrl.of("s3://%s/v?endpoint=%s&anonymous=true&timeout=1500ms"
                .formatted(bucket, endpoint)))), patience, Pause.REAL, new Random());
    }

    @AfterEach
    void close() throws IOException {
        proxy.close();
        engine.close();
        uploads.shutdown();
    }

    @Test
    void everyFsyncIsDurableOrAnErrorAndOutagesPass() throws Exception {
        var server = S3Server.shared();
        bucket = server.newBucket();
        proxy = new FaultProxy(server.port(), faults);
        try (var store = open(proxy.endpoint(), SHORT);
                var volume = TestVolume.open(engine, store, SETTINGS, uploads, InstantSource.system())) {
            for (int i = 0; i < WRITERS; i++) {
                writers.add(new Writer(volume.vfs(), i, new Random(seed + i)));
            }
            together(Writer::work);
            long synced = sum(false);
            proxy.setDown(true);
            together(Writer::workInVain);
            proxy.setDown(false);
            faults.setRate(0);
            together(Writer::resume);
            System.out.printf("S3 outage seed %d: %d requests, %d faults, %d fsyncs durable (%d before the outage), "
                    + "%d errors%n", seed, proxy.requests(), faults.total(), sum(false), synced, sum(true));
            assertThat(synced).as("fsyncs acknowledged under faults").isPositive();
        }
        assertThat(faults.total()).as("faults injected").isGreaterThan(20);
        readEverythingFromTheServer(server);
    }

    /** A process that knows only the metadata and the bucket, with no proxy between. */
    private void readEverythingFromTheServer(S3Server server) throws IOException {
        try (var store = open(server.endpoint(), LONG);
                var volume = TestVolume.open(engine, store, SETTINGS, uploads, InstantSource.system())) {
            for (var writer : writers) {
                writer.compare(volume.vfs());
            }
        }
    }

    private long sum(boolean errors) {
        return writers.stream().mapToLong(each -> errors ? each.errors : each.synced).sum();
    }

    private interface Work {
        void run(Writer writer) throws IOException;
    }

    private void together(Work work) throws Exception {
        try (var threads = Executors.newFixedThreadPool(WRITERS)) {
            var tasks = writers.stream().<Callable<Void>>map(writer -> () -> {
                work.run(writer);
                return null;
            }).toList();
            for (var done : threads.invokeAll(tasks)) {
                done.get();
            }
        }
    }

    /** Changes one file, at random, and knows which bytes must be in it. */
    private static final class Writer {
        private final Name name;
        private final Random random;
        private final OpenFile file;
        private final byte[] expected = new byte[FILE];
        private long synced;
        private long errors;

        Writer(Vfs vfs, int number, Random random) throws IOException {
            this.name = Name.of("file" + number);
            this.random = random;
            this.file = vfs.create(Vfs.ROOT, name, 0644, Owner.ROOT);
            file.truncate(FILE);
        }

        void work() throws IOException {
            for (int round = 0; round < ROUNDS; round++) {
                write();
                sync();
                read();
            }
        }

        private void write() throws IOException {
            byte[] piece = new byte[1 + random.nextInt(20_000)];
            random.nextBytes(piece);
            int at = random.nextInt(FILE - piece.length);
            file.write(at, ByteBuffer.wrap(piece));
            System.arraycopy(piece, 0, expected, at, piece.length);
        }

        private boolean sync() {
            try {
                file.fsync();
                synced++;
                return true;
            } catch (IOException told) {
                errors++;
                return false;
            }
        }

        /** Four attempts are few where the machine is slow. */
        private boolean syncSoon() {
            boolean done = sync();
            for (int i = 0; i < 20 && !done; i++) {
                done = sync();
            }
            return done;
        }

        /** The right bytes or an error, whatever happened to the fsync. */
        private void read() {
            byte[] found = new byte[FILE];
            try {
                file.read(0, ByteBuffer.wrap(found));
            } catch (IOException told) {
                errors++;
                return;
            }
            assertThat(Arrays.mismatch(found, expected)).as("first wrong byte of " + name).isEqualTo(-1);
        }

        /** While nothing answers, nothing is acknowledged. */
        void workInVain() throws IOException {
            write();
            assertThat(sync()).as("fsync without a store").isFalse();
            assertThat(sync()).as("a failed fsync stays failed").isFalse();
        }

        /** The same open file, as soon as the store is back. */
        void resume() throws IOException {
            assertThat(syncSoon()).as("fsync after the outage").isTrue();
            write();
            assertThat(syncSoon()).isTrue();
            read();
            file.close();
        }

        void compare(Vfs vfs) throws IOException {
            try (var again = vfs.open(vfs.lookup(Vfs.ROOT, name).ino())) {
                byte[] found = new byte[FILE];
                assertThat(again.read(0, ByteBuffer.wrap(found))).isEqualTo(FILE);
                assertThat(Arrays.mismatch(found, expected)).as("first wrong byte of " + name).isEqualTo(-1);
            }
        }
    }
}
