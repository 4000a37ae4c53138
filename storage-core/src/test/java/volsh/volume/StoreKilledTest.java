package volsh.volume;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.StoreUrl;
import volsh.catalog.Access;
import volsh.catalog.Home;
import volsh.catalog.StoreLayout;
import volsh.catalog.VolumeDraft;
import volsh.codec.Compression;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.fuse.MountFlag;
import volsh.fuse.TestMount;
import volsh.hang.Eventually;
import volsh.place.LayoutPolicy;
import volsh.s3test.S3Server;
import volsh.unit.ByteSize;
import volsh.upkeep.Watcher;
import volsh.vfs.Vfs;

/**
 * The process of a store is killed under programs that read and write on mounts, and comes back without its data. With
 * redundancy no call of theirs fails, and what was acknowledged is there; without, they do notice.
 * {@code scripts/bench/outage.py} measures the same.
 */
@Timeout(400)
@Tag("wait")
@Tag("crash")
final class StoreKilledTest {
    private static final int LENGTH = 100_000;
    private static final int FILES = 4;
    private static final int CALLS = Boolean.getBoolean("volsh.long") ? 200 : 8;

    @TempDir
    Path directory;

    private Volumes volumes;

    @Test
    void withRedundancyNobodyNoticesAndHealPutsItRight() throws Exception {
        volumes = new Volumes(Home.of(Map.of("VOLSH_HOME", directory.resolve("home").toString()), false),
                InstantSource.system(), Owner.ROOT);
        var mirrored = new ArrayList<>(List.of("far"));
        var coded = new ArrayList<>(List.of("far"));
        for (int i = 1; i <= 5; i++) {
            volumes.stores().add("near" + i, StoreUrl.of("file://" + directory.resolve("near" + i)));
            coded.add("near" + i);
        }
        mirrored.add("near1");
        try (var server = S3Server.another()) {
            server.makeBucket("bucket");
            volumes.stores()
                    .add("far", StoreUrl.of("s3://bucket/p?endpoint=%s&anonymous=true".formatted(server.endpoint())));
            create("twice", mirrored, "mirror:2");
            create("coded", coded, "ec:4+2");
            var written = new ConcurrentHashMap<String, byte[]>();
            kill(server, written);
            try (var wiped = server.wiped()) {
                wiped.makeBucket("bucket");
                for (var name : List.of("twice", "coded")) {
                    heal(name);
                    assertThat(volumes.upkeep().check(name, true, Optional.empty(), Watcher.NONE).isClean()).as(name)
                            .isTrue();
                    requireAll(name, written);
                }
            }
        }
    }

    /** With applications on both; the third, the control, is in a directory with stripes, and gone afterwards. */
    private void kill(S3Server server, Map<String, byte[]> written) throws Exception {
        try (var twice = new Mounted("twice"); var coded = new Mounted("coded")) {
            var striped = twice.mount.directory().resolve("striped");
            try (var care = new BlockCare(twice.volume, BlockCare.Watcher.NONE)) {
                care.setPolicy(twice.volume.vfs().makeDirectory(Vfs.ROOT, Name.of("striped"), 0755, Owner.ROOT).ino(),
                        LayoutPolicy.of("stripe:all"));
            }
            var applications = new ArrayList<Application>();
            for (var each : List.of(twice, coded)) {
                applications.add(new Application(each.name, each.mount.directory(), written));
            }
            applications.add(new Application("plain", striped, new ConcurrentHashMap<>()));
            for (var each : applications) {
                each.start(each.name.equals("plain"));   // what is written in vain would keep it from closing
            }
            for (var each : applications) {
                each.await(CALLS);
                assertThat(each.failures).as("before, in " + each.name).isEmpty();
            }
            server.close();
            for (var each : applications) {
                each.await(each.calls.get() + CALLS);
            }
            for (var each : applications) {
                each.stop();
            }
            assertThat(applications.get(0).failures).as("with two copies").isEmpty();
            assertThat(applications.get(1).failures).as("with 4+2 shards").isEmpty();
            assertThat(applications.get(2).failures).as("the control: with stripes somebody notices").isNotEmpty();
            for (int i = 0; i < FILES; i++) {
                Files.delete(striped.resolve("r" + i));
            }
        }
    }

    private void create(String name, List<String> stores, String policy) throws IOException {
        volumes.create(VolumeDraft.named(name).withBlockSize(ByteSize.of("64KiB")).withInline(ByteSize.of("0"))
                .shippingMetadata(false)
                .withCompression(new Compression.None()).withSpread(StoreLayout.of(stores, LayoutPolicy.of(policy))));
    }

    private void heal(String name) throws IOException {
        try (var volume = volumes.open(name, Access.WRITE, "heal");
                var care = new BlockCare(volume, BlockCare.Watcher.NONE)) {
            var report = care.heal(Set.of("far"));
            assertThat(report.repaired()).isPositive();
            assertThat(report.isClean()).as(report.toString()).isTrue();
        }
    }

    private void requireAll(String name, Map<String, byte[]> written) throws IOException {
        try (var mounted = new Mounted(name)) {
            int seen = 0;
            for (var each : written.entrySet()) {
                if (each.getKey().startsWith(name + "/")) {
                    assertThat(Files.readAllBytes(mounted.mount.directory()
                            .resolve(each.getKey().substring(name.length() + 1)))).isEqualTo(each.getValue());
                    seen++;
                }
            }
            assertThat(seen).isGreaterThan(FILES);
        }
    }

    /** A volume and its mount, where nothing is remembered: every call asks stores. */
    private final class Mounted implements AutoCloseable {
        final String name;
        final Volume volume;
        final TestMount mount;

        Mounted(String name) throws IOException {
            this.name = name;
            this.volume = volumes.open(name, Access.WRITE, "test");
            this.mount = TestMount.of(volume.vfs(), directory, InstantSource.system(),
                    usual -> usual.with(MountFlag.DIRECT_IO));
        }

        @Override
        public void close() throws IOException {
            try (volume) {
                mount.close();
            }
        }
    }

    /** One thread that reads files and one that writes and syncs new ones, until they are told to stop. */
    private static final class Application {
        final String name;
        final Path place;
        final Map<String, byte[]> written;
        final AtomicInteger calls = new AtomicInteger();
        final List<Exception> failures = new CopyOnWriteArrayList<>();
        final List<Thread> threads = new ArrayList<>();
        volatile boolean over;

        Application(String name, Path place, Map<String, byte[]> written) {
            this.name = name;
            this.place = place;
            this.written = written;
        }

        void start(boolean readsOnly) throws IOException {
            for (int i = 0; i < FILES; i++) {
                write("r" + i, new Random(i));
            }
            var choice = new Random(7);
            var content = new Random(8);
            threads.add(Thread.ofPlatform().start(() -> repeat(_ -> read("r" + choice.nextInt(FILES)))));
            if (!readsOnly) {
                threads.add(Thread.ofPlatform().start(() -> repeat(turn -> write("w" + turn, content))));
            }
        }

        private interface Work {
            void run(int turn) throws IOException;
        }

        private void repeat(Work work) {
            for (int turn = 0; !over; turn++) {
                try {
                    work.run(turn);
                } catch (IOException | AssertionError failed) {
                    failures.add(new Exception(failed));
                    LockSupport.parkNanos(20_000_000);
                }
                calls.incrementAndGet();
            }
        }

        private void read(String file) throws IOException {
            assertThat(Files.readAllBytes(place.resolve(file))).isEqualTo(written.get(name + "/" + file));
        }

        private void write(String file, Random random) throws IOException {
            byte[] bytes = new byte[LENGTH];
            random.nextBytes(bytes);
            try (var channel = FileChannel.open(place.resolve(file), StandardOpenOption.CREATE_NEW,
                    StandardOpenOption.WRITE)) {
                var left = ByteBuffer.wrap(bytes);
                while (left.hasRemaining()) {
                    channel.write(left);
                }
                channel.force(true);
            }
            written.put(name + "/" + file, bytes);   // from now on it may not be lost
        }

        void await(int count) {
            Eventually.value(count + " calls have ended", calls::get, ended -> ended >= count);
        }

        void stop() throws InterruptedException {
            over = true;
            for (var each : threads) {
                each.join();
            }
        }
    }
}
