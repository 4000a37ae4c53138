package volsh.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import volsh.meta.ChildJvm;

/** One volume mounted by four processes: locks, appends and names are as if there were one mount. */
@TestInstance(Lifecycle.PER_CLASS)
abstract class FourMounts {
    private static final boolean LONG = Boolean.getBoolean("volsh.long");
    private static final int MOUNTS = 4;
    private static final int PAIRS = LONG ? 10_000 : 200;
    private static final int RECORDS = LONG ? 5_000 : 150;
    private static final int RACES = LONG ? 500 : 20;
    private static final String PYTHON = "import fcntl, os, random, sys\n";

    private final List<ChildJvm> processes = new ArrayList<>();
    private final List<Path> mounted = new ArrayList<>();

    /** How far each counts. */
    int counts() {
        return LONG ? 2_000 : 60;
    }

    /** Before the volume is made. */
    abstract void prepare(Path home) throws Exception;

    @BeforeAll
    void mount(@TempDir Path temporary) throws Exception {
        var home = Files.createDirectory(temporary.resolve("home"));
        prepare(home);
        MountedProcess.plain(home).close();
        for (int i = 0; i < MOUNTS; i++) {
            var directory = Files.createDirectory(temporary.resolve("m" + i));
            processes.add(ChildJvm.start(temporary, MountedProcess.class, home, directory, MountedProcess.Kind.PLAIN));
            mounted.add(directory);
        }
        for (var process : processes) {
            assertThat(process.line()).isEqualTo("mounted");
        }
    }

    @AfterAll
    void unmount() throws Exception {
        for (var directory : mounted) {
            TestMount.detach(directory);
        }
        processes.forEach(ChildJvm::close);
        processes.clear();
        mounted.clear();
    }

    /** Runs the script on all mounts at once, each in its directory; what each printed. */
    private List<String> everywhere(String script) {
        var running = mounted.stream().map(directory -> CompletableFuture.supplyAsync(() -> {
            try {
                return Programs.run(directory, "python3", "-c", PYTHON + script,
                        Integer.toString(mounted.indexOf(directory))).strip();
            } catch (Exception failed) {
                throw new IllegalStateException(failed);
            }
        }, command -> Thread.ofPlatform().start(command))).toList();
        return running.stream().map(CompletableFuture::join).toList();
    }

    private void count(String name, String lock, boolean reopens) throws Exception {
        everywhere("""
                f = os.open('%s', os.O_RDWR | os.O_CREAT)
                for _ in range(%d):
                    if %s:
                        os.close(f); f = os.open('%s', os.O_RDWR)
                    fcntl.%s(f, fcntl.LOCK_EX)
                    count = int(os.pread(f, 20, 0) or b'0')
                    os.pwrite(f, b'%%d' %% (count + 1), 0)
                    fcntl.%s(f, fcntl.LOCK_UN)
                """.formatted(name, counts(), reopens ? "True" : "False", name, lock, lock));
        var everywhere = mounted.stream().map(mount -> read(mount.resolve(name))).toList();
        assertThat(everywhere).as(name).containsOnly(Integer.toString(MOUNTS * counts()));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (java.io.IOException failed) {
            throw new java.io.UncheckedIOException(failed);
        }
    }

    @Test
    void aCounterUnderFlockIsExact() throws Exception {
        count("flocked", "flock", false);
        count("flocked-again", "flock", true);
    }

    @Test
    void aCounterUnderFcntlIsExact() throws Exception {
        count("fcntled", "lockf", false);
        for (int round = 0; round < 3; round++) {
            count("reopened" + round, "lockf", true);
        }
    }

    /** The same without a lock is not: the tests notice. */
    @Test
    void aCounterWithoutALockLosesCounts() throws Exception {
        everywhere("""
                import time
                open('here' + sys.argv[1], 'w').close()
                while not all(os.path.exists('here%%d' %% each) for each in range(%d)): time.sleep(0.01)
                for _ in range(%d):
                    f = os.open('unlocked', os.O_RDWR | os.O_CREAT)
                    count = int(os.pread(f, 20, 0) or b'0')
                    time.sleep(0.002)   # or a fast one may be done before the next is there
                    os.pwrite(f, b'%%d' %% (count + 1), 0)
                    os.close(f)
                """.formatted(MOUNTS, counts()));
        assertThat(Integer.parseInt(Files.readString(mounted.getLast().resolve("unlocked"))))
                .as("digits may be mixed, too, so it may even be more").isNotEqualTo(MOUNTS * counts());
    }

    /** Each has one of two ranges and waits for the other, on different mounts: one is refused, the other gets it. */
    @Test
    void ofTwoWhoWaitForEachOtherOneIsRefused() throws Exception {
        var results = everywhere("""
                import time
                me = int(sys.argv[1]); f = os.open('circle%d' % (me // 2), os.O_RDWR | os.O_CREAT); mine = me % 2
                fcntl.lockf(f, fcntl.LOCK_EX, 1, mine); open('has%d' % me, 'w').close()
                while not os.path.exists('has%d' % (me ^ 1)): time.sleep(0.01)
                try: fcntl.lockf(f, fcntl.LOCK_EX, 1, 1 - mine); print('got it')
                except OSError as refused: print(os.strerror(refused.errno))
                """);
        for (int pair = 0; pair < MOUNTS; pair += 2) {
            assertThat(results.subList(pair, pair + 2))
                    .containsExactlyInAnyOrder("got it", "Resource deadlock avoided");
        }
    }

    @Test
    void noAppendedRecordIsLostOrTorn() throws Exception {
        everywhere("""
                me = int(sys.argv[1]); draw = random.Random(me)
                f = os.open('log', os.O_WRONLY | os.O_CREAT | os.O_APPEND)
                for i in range(%d):
                    record = b'<%%d:%%d:' %% (me, i) + b'x' * draw.randrange(draw.choice((40, 5000))) + b'>\\n'
                    assert os.write(f, record) == len(record)
                    if draw.randrange(8) == 0: os.fsync(f)
                """.formatted(RECORDS));
        var lines = Files.readAllLines(mounted.getFirst().resolve("log"));
        assertThat(lines).hasSize(MOUNTS * RECORDS).allMatch(line -> line.startsWith("<") && line.endsWith(">"));
        for (int who = 0; who < MOUNTS; who++) {
            int me = who;
            var numbers = lines.stream().filter(line -> line.startsWith("<" + me + ":"))
                    .map(line -> Integer.parseInt(line.split(":")[1])).toList();
            assertThat(numbers).as("in order").hasSize(RECORDS).isSorted();
        }
    }

    @Test
    void ofFourWhoMoveTheSameOneDoes() throws Exception {
        var results = everywhere("""
                me = sys.argv[1]; won = 0
                for i in range(%d):
                    try: os.mkdir('race%%d' %% i)
                    except FileExistsError: pass
                    try: os.rename('race%%d' %% i, 'won%%d-%%s' %% (i, me)); won += 1
                    except FileNotFoundError: pass
                print(won)
                """.formatted(RACES));
        int won = results.stream().mapToInt(Integer::parseInt).sum();
        try (var left = Files.list(mounted.getFirst())) {
            assertThat(left.filter(path -> path.getFileName().toString().startsWith("won")).count()).isEqualTo(won);
        }
        assertThat(won).isGreaterThanOrEqualTo(RACES);
    }

    @Test
    void whatOneHasClosedTheOthersOpen() throws Exception {
        long seed = System.nanoTime();
        System.out.println("four mounts seed " + seed);
        var random = new Random(seed);
        for (int round = 0; round < PAIRS; round++) {
            var writer = mounted.get(random.nextInt(MOUNTS));
            var reader = mounted.get(random.nextInt(MOUNTS));
            var name = "pair" + random.nextInt(4);
            byte[] bytes = new byte[random.nextInt(random.nextInt(10) == 0 ? 600_000 : 9_000)];
            random.nextBytes(bytes);
            Files.write(writer.resolve(name), bytes);
            assertThat(Files.readAllBytes(reader.resolve(name))).as("round " + round).isEqualTo(bytes);
        }
    }
}
