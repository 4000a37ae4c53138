package volsh.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.StoreUrl;
import volsh.catalog.Access;
import volsh.catalog.VolumeDraft;
import volsh.engine.Race;
import volsh.engine.postgres.PostgresUrl;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.fuse.Programs;
import volsh.fuse.TestMount;
import volsh.meta.ChildJvm;
import volsh.meta.Consistency;
import volsh.postgrestest.PostgresServer;
import volsh.vfs.Vfs;
import volsh.volume.Volumes;

/** A volume with metadata in PostgreSQL, mounted by two machines, each a process with a home of its own. */
final class SharedMountsTest {
    private static final int ROUNDS = Boolean.getBoolean("volsh.long") ? 10_000 : 60;

    @TempDir
    private Path temporary;

    private static PostgresServer server;
    private PostgresUrl database;
    private ChildJvm first;
    private ChildJvm second;
    private Path a;
    private Path b;

    @BeforeAll
    static void start() throws Exception {
        assumeTrue(Files.isWritable(Path.of("/dev/fuse")) && "root".equals(System.getProperty("user.name")),
                "needs root and /dev/fuse");
        server = PostgresServer.start();
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    @BeforeEach
    void mount() throws Exception {
        database = PostgresUrl.of(server.url()).withVolume(PostgresServer.freshName());
        var store = StoreUrl.of(temporary.resolve("lake").toUri().toString());
        var here = volumes("one");
        here.stores().add("lake", store);
        here.create(VolumeDraft.named("shared").withStore("lake").withDatabase(database));
        volumes("two").attaching().attach(database, Optional.of("ours"), Optional.empty());
        a = Files.createDirectory(temporary.resolve("a"));
        b = Files.createDirectory(temporary.resolve("b"));
        first = serve("one", "shared", a);
        second = serve("two", "ours", b);
    }

    private Volumes volumes(String machine) {
        return new Volumes(ServingProcess.home(temporary.resolve(machine)), InstantSource.system(), Owner.ROOT);
    }

    private ChildJvm serve(String machine, String volume, Path mountPoint) throws IOException {
        var child = ChildJvm.start(temporary, ServingProcess.class, temporary.resolve(machine), volume, mountPoint);
        assertThat(child.line()).isEqualTo("mounted");
        return child;
    }

    @AfterEach
    void unmount() throws Exception {
        TestMount.detach(a);
        TestMount.detach(b);
        assertThat(first.exitCode()).isZero();
        assertThat(second.exitCode()).isZero();
        assertThat(volumes("one").status("shared").sessions()).isEmpty();
    }

    /**
     * In the middle the server is killed and comes back: programs wait, and notice nothing else. From the first quarter
     * on no hint says that something has changed. Of half of the files the kernels remember the directory.
     */
    @Test
    void whatOneHasClosedTheOtherOpensEvenAcrossARestartOfTheServer() throws Exception {
        long seed = System.nanoTime();
        System.out.println("shared mounts seed " + seed);
        var random = new Random(seed);
        var restart = CompletableFuture.<Void>completedFuture(null);
        Files.createDirectory(a.resolve("kept"));
        try (var volume = volumes("one").open("shared", Access.WRITE, "test")) {
            volume.vfs().coherence().policies().set(volume.vfs().lookup(Vfs.ROOT, Name.of("kept")).ino(), "/kept",
                    Consistency.of("close-to-open"));
        }
        for (int round = 0; round < ROUNDS; round++) {
            if (round == ROUNDS / 4) {
                server.sql("volsh", "CREATE OR REPLACE FUNCTION \"%s\".hint() RETURNS void LANGUAGE sql AS ''"
                        .formatted("volsh_" + database.volume()));
            }
            if (round == ROUNDS / 2) {
                restart = CompletableFuture.runAsync(this::restart);
            }
            boolean away = !restart.isDone();
            try {
                write(random, round);
            } catch (IOException late) {
                if (!away) {
                    throw late;
                }
                restart.join();   // it took longer than mounts wait for; nothing was acknowledged
            }
        }
        restart.join();
    }

    /** One writes a file and closes it, the other reads it, and may delete it. */
    private void write(Random random, int round) throws IOException {
        var writer = random.nextBoolean() ? a : b;
        var reader = writer.equals(a) ? b : a;
        var name = (random.nextBoolean() ? "kept/f" : "f") + random.nextInt(4);
        byte[] bytes = new byte[random.nextInt(random.nextInt(5) == 0 ? 600_000 : 9_000)];
        random.nextBytes(bytes);
        if (random.nextBoolean()) {
            Files.write(writer.resolve(name), bytes);
        } else {
            Files.write(writer.resolve("new"), bytes);
            Files.move(writer.resolve("new"), writer.resolve(name), StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        }
        assertThat(Files.readAllBytes(reader.resolve(name))).as("round " + round).isEqualTo(bytes);
        assertThat(Files.size(reader.resolve(name))).as("round " + round).isEqualTo(bytes.length);
        if (random.nextInt(4) == 0) {
            Files.delete(reader.resolve(name));
            assertThat(writer.resolve(name)).as("round " + round).doesNotExist();
        }
    }

    private void restart() {
        try {
            server.kill();
            server.run();
        } catch (IOException | InterruptedException failed) {
            throw new IllegalStateException(failed);
        }
    }

    @Test
    void locksAndAppendsHoldBetweenMachines() throws Exception {
        int counts = ROUNDS / 2;
        var script = """
                import fcntl, os, sys
                for lock, name in ((fcntl.flock, 'flocked'), (fcntl.lockf, 'fcntled')):
                    f = os.open(name, os.O_RDWR | os.O_CREAT)
                    for _ in range(%d):
                        lock(f, fcntl.LOCK_EX)
                        os.pwrite(f, b'%%d' %% (int(os.pread(f, 20, 0) or b'0') + 1), 0)
                        lock(f, fcntl.LOCK_UN)
                log = os.open('log', os.O_WRONLY | os.O_CREAT | os.O_APPEND)
                for i in range(%d):
                    os.write(log, (sys.argv[1] + ' ' + 'x' * (i * 37 %% 900) + '\\n').encode())
                    if i %% 5 == 0: os.fsync(log)
                """.formatted(counts, counts);
        Race.of(2, 1,
                (thread, once) -> Programs.run(thread == 0 ? a : b, "python3", "-c", script, Integer.toString(thread)));
        assertThat(a.resolve("flocked")).hasContent(Integer.toString(2 * counts));
        assertThat(b.resolve("fcntled")).hasContent(Integer.toString(2 * counts));
        assertThat(Files.readAllLines(a.resolve("log"))).hasSize(2 * counts).allMatch(line -> line.matches("[01] x*"));
    }

    @Test
    void ofTwoWhoDoTheSameOneDoes() throws Exception {
        var made = new AtomicInteger();
        var moved = new AtomicInteger();
        int rounds = ROUNDS / 4;
        for (int round = 0; round < rounds; round++) {
            var directory = "d" + round;
            Race.of(2, 1, (thread, once) -> {
                try {
                    Files.createDirectory((thread == 0 ? a : b).resolve(directory));
                    made.incrementAndGet();
                } catch (FileAlreadyExistsException other) {
                    // was faster
                }
            });
            Race.of(2, 1, (thread, once) -> {
                var mine = thread == 0 ? a : b;
                try {
                    Files.move(mine.resolve(directory), mine.resolve("m" + directory + thread),
                            StandardCopyOption.ATOMIC_MOVE);
                    moved.incrementAndGet();
                } catch (NoSuchFileException other) {
                    // was faster
                }
            });
        }
        assertThat(made.get()).isEqualTo(rounds);
        assertThat(moved.get()).isEqualTo(rounds);
        try (var left = Files.list(a); var right = Files.list(b)) {
            assertThat(left.map(Path::getFileName).toList()).hasSize(rounds)
                    .containsExactlyInAnyOrderElementsOf(right.map(Path::getFileName).toList());
        }
    }
}
