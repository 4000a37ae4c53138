package volsh.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.memory.MemoryBlockStore;
import volsh.catalog.Access;
import volsh.catalog.Home;
import volsh.catalog.Refusal;
import volsh.catalog.VolumeDraft;
import volsh.chunk.ChunkSettings;
import volsh.engine.MetaEngine;
import volsh.engine.memory.MemoryMetaEngine;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.transfer.Observer;
import volsh.unit.ByteSize;
import volsh.vfs.TestVolume;
import volsh.vfs.Vfs;
import volsh.volume.Volume;
import volsh.volume.Volumes;

final class CheckpointsTest {
    @TempDir
    Path directory;

    private Volume volume;
    private Instant now = Instant.parse("2026-11-16T10:00:00Z");

    @BeforeEach
    void open() throws IOException {
        var volumes = volumes(directory);
        volumes.create(VolumeDraft.named("ckpts").withBlockSize(ByteSize.of("64KiB")));
        volume = volumes.open("ckpts", Access.WRITE, "test");
    }

    @AfterEach
    void close() throws IOException {
        volume.close();
    }

    static Volumes volumes(Path directory) {
        return new Volumes(Home.of(Map.of("VOLSH_HOME", directory.resolve("home").toString()), false),
                InstantSource.system(), Owner.ROOT);
    }

    private Checkpoints checkpoints() {
        return checkpoints(volume, () -> now);
    }

    static Checkpoints checkpoints(Volume volume, InstantSource clock) {
        return new Checkpoints("ckpts", volume.vfs(), Owner.ROOT, clock, 3, Observer.NONE);
    }

    /** Files of several sizes, one of them in a directory, and a link. */
    static Path model(Path directory, long seed) throws IOException {
        var random = new Random(seed);
        Path model = Files.createDirectories(directory.resolve("model-" + seed));
        Files.createDirectories(model.resolve("optimizer"));
        for (var file : Map.of("weights.bin", 300_000, "config.json", 200, "empty", 0, "optimizer/state.bin", 130_000)
                .entrySet()) {
            byte[] bytes = new byte[file.getValue()];
            random.nextBytes(bytes);
            Files.write(model.resolve(file.getKey()), bytes);
        }
        Files.deleteIfExists(model.resolve("link"));
        Files.createSymbolicLink(model.resolve("link"), Path.of("weights.bin"));
        return model;
    }

    private Checkpoint save(long step) throws IOException {
        now = now.plus(Duration.ofMinutes(10));
        return checkpoints().save("r1", step, model(directory, step), Map.of("loss", 100.0 / (step + 1)), true);
    }

    private static void assertSame(Path one, Path other) throws IOException {
        for (String file : List.of("weights.bin", "config.json", "empty", "optimizer/state.bin")) {
            assertThat(Files.mismatch(one.resolve(file), other.resolve(file))).as(file).isEqualTo(-1);
        }
        assertThat(Files.readSymbolicLink(other.resolve("link"))).isEqualTo(Path.of("weights.bin"));
    }

    @Test
    void whatIsSavedIsListedVerifiedAndRestored() throws IOException {
        save(10);
        var saved = save(20);
        assertThat(checkpoints().list(Optional.empty())).hasSize(2).allMatch(Checkpoint::valid)
                .extracting(Checkpoint::step).containsExactly(10L, 20L);
        assertThat(checkpoints().find("r1", OptionalLong.empty())).isEqualTo(saved);
        assertThat(checkpoints().verify(saved)).isEmpty();
        assertThat(saved.manifest().orElseThrow().bytes()).isEqualTo(430_200);
        Path target = directory.resolve("resume");
        checkpoints().restore(saved, target, false);
        assertSame(directory.resolve("model-20"), target);
        assertThat(target.resolve(Manifest.NAME)).doesNotExist();
        assertThatThrownBy(() -> checkpoints().restore(saved, target, false)).isInstanceOf(Refusal.class)
                .hasMessageContaining("is not empty");
        Files.writeString(target.resolve("extra"), "x");
        checkpoints().restore(checkpoints().find("r1", OptionalLong.of(10)), target, true);
        assertSame(directory.resolve("model-10"), target);
        assertThat(target.resolve("extra")).doesNotExist();
        try (var left = Files.list(directory)) {
            assertThat(left.map(path -> path.getFileName().toString()).filter(name -> name.startsWith("."))).isEmpty();
        }
    }

    @Test
    void aStepIsSavedOnce() throws IOException {
        save(5);
        assertThatThrownBy(() -> save(5)).isInstanceOf(Refusal.class)
                .hasMessageContaining("step 5 of run 'r1' already exists");
        assertThatThrownBy(() -> checkpoints().save("r1", 6, directory.resolve("none"), Map.of(), false))
                .isInstanceOf(Refusal.class);
        assertThatThrownBy(() -> checkpoints().save("../r", 6, directory, Map.of(), false))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> checkpoints().save("r1", 7, Files.createDirectory(directory.resolve("hollow")),
                Map.of(), false)).hasMessageContaining("no files");
        assertThat(workplace()).isEmpty();
        assertThat(checkpoints().list(Optional.of("r1"))).hasSize(1);
    }

    private List<String> workplace() throws IOException {
        var tree = new Tree(volume.vfs(), Owner.ROOT);
        return tree.entries(tree.find(Vfs.ROOT, Workplace.NAME).orElseThrow().ino()).stream()
                .map(entry -> entry.name().toString()).toList();
    }

    /** Of many who save the same step, one succeeds, and its files are all of one of them. */
    @Test
    void oneWriterWins() throws Exception {
        var models = List.of(model(directory, 1), model(directory, 2), model(directory, 3), model(directory, 4));
        int saved = 0;
        try (var pool = Executors.newFixedThreadPool(4)) {
            var tasks = models.stream().map(model ->
                    (Callable<Checkpoint>) () -> checkpoints().save("r1", 7, model, Map.of(), false)).toList();
            for (var future : pool.invokeAll(tasks)) {
                saved += switch (future.state()) {
                    case SUCCESS -> 1;
                    default -> {
                        assertThat(future.exceptionNow()).isInstanceOf(Refusal.class)
                                .hasMessageContaining("already exists");
                        yield 0;
                    }
                };
            }
        }
        assertThat(saved).isEqualTo(1);
        assertThat(checkpoints().verify(checkpoints().find("r1", OptionalLong.of(7)))).isEmpty();
        assertThat(workplace()).isEmpty();
    }

    /**
     * Readers of {@code latest} find a whole checkpoint at every moment of many saves: its bytes are all of one step.
     */
    @Test
    void latestIsNeverMissing() throws Exception {
        boolean many = Boolean.getBoolean("volsh.long");
        int updates = many ? 1000 : 60;
        int enough = many ? 100_000 : 500;
        var stop = new AtomicBoolean();
        var small = Files.createDirectories(directory.resolve("small"));
        Files.writeString(small.resolve("f"), "%08d%08d".formatted(0, 0));
        checkpoints().save("r1", 0, small, Map.of(), false);
        var reads = new java.util.concurrent.atomic.AtomicLong();
        try (var pool = Executors.newFixedThreadPool(2)) {
            Callable<Void> reader = () -> {
                for (long last = 0; !stop.get() || reads.get() < enough; reads.incrementAndGet()) {
                    var bytes = ByteBuffer.allocate(16);
                    try (var file = volume.vfs().open(volume.paths().resolve("/r1/latest/f").ino())) {
                        file.read(0, bytes);
                    }
                    String text = new String(bytes.array(), StandardCharsets.US_ASCII);
                    assertThat(text.substring(0, 8)).as("half of each").isEqualTo(text.substring(8));
                    assertThat(Long.parseLong(text.substring(0, 8))).as("never back").isGreaterThanOrEqualTo(last);
                    last = Long.parseLong(text.substring(0, 8));
                }
                return null;
            };
            var readers = List.of(pool.submit(reader), pool.submit(reader));
            for (int step = 1; step <= updates; step++) {
                Files.writeString(small.resolve("f"), "%08d%08d".formatted(step, step));
                checkpoints().save("r1", step, small, Map.of(), false);
            }
            stop.set(true);
            for (var one : readers) {
                one.get();
            }
        }
        assertThat(reads.get()).as("reads of latest").isGreaterThanOrEqualTo(enough);
    }

    /** A job's own "latest" link: what it leads to is saved, from a directory and from a file. */
    @Test
    void aLinkToWhatIsToBeSaved() throws IOException {
        Path model = model(directory, 1);
        var saved = checkpoints().save("r1", 1, Files.createSymbolicLink(directory.resolve("best"), model), Map.of(),
                true);
        assertThat(saved.manifest().orElseThrow().files()).hasSize(4);
        var file = checkpoints().save("r1", 2,
                Files.createSymbolicLink(directory.resolve("best.bin"), model.resolve("weights.bin")), Map.of(), true);
        assertThat(file.manifest().orElseThrow().files()).extracting(Manifest.Entry::path, Manifest.Entry::size)
                .containsExactly(tuple("best.bin", 300_000L));
        assertThat(checkpoints().verify(file)).isEmpty();
    }

    @Test
    void damageIsFound() throws IOException {
        var good = save(1);
        save(2);
        var file = volume.paths().resolve("/r1/" + Checkpoint.directory(2) + "/weights.bin");
        try (var open = volume.vfs().open(file.ino())) {
            open.write(1000, ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5, 6, 7}));
            open.flush();
        }
        assertThat(checkpoints().verify(checkpoints().find("r1", OptionalLong.of(2)))).containsExactly("weights.bin");
        assertThatThrownBy(() ->
                checkpoints().restore(checkpoints().find("r1", OptionalLong.of(2)), directory.resolve("to"), false))
                .isInstanceOf(Refusal.class).hasMessageContaining("weights.bin differs from what was saved");
        assertThat(directory.resolve("to")).doesNotExist();
        assertThat(checkpoints().verify(good)).as("the control").isEmpty();
        volume.vfs().truncate(file.ino(), 10);
        var cut = checkpoints().find("r1", OptionalLong.of(2));
        assertThat(cut.trouble()).contains("weights.bin has 10 bytes");
        assertThat(checkpoints().find("r1", OptionalLong.empty()).step()).as("the newest valid one").isEqualTo(1);
        var run = volume.paths().resolve("/r1/" + Checkpoint.directory(2)).ino();
        volume.vfs().unlink(run, Name.of(Manifest.NAME));
        assertThat(checkpoints().find("r1", OptionalLong.of(2)).trouble()).isEqualTo("no manifest");
    }

    @Test
    void aFileThatChangesMeanwhileIsNotSaved() throws IOException {
        Path model = model(directory, 3);
        var changing = new Checkpoints("ckpts", volume.vfs(), Owner.ROOT, () -> now, 1, new Observer() {
            @Override
            public void done(long files, long bytes) {
                try {
                    Files.writeString(model.resolve("config.json"), "other" + System.nanoTime());
                } catch (IOException impossible) {
                    throw new java.io.UncheckedIOException(impossible);
                }
            }
        });
        assertThatThrownBy(() -> changing.save("r1", 3, model, Map.of(), false)).isInstanceOf(IOException.class);
        assertThat(checkpoints().list(Optional.empty())).isEmpty();
        assertThat(workplace()).isEmpty();
    }

    /** A copy of a checkpoint brings its manifest along; names need not be text. */
    @Test
    void aCopyOfACheckpointAndOddNamesAreSaved() throws Exception {
        Path model = model(directory, 9);
        Files.writeString(model.resolve(Manifest.NAME), "of another one");
        String odd = model + "/odd";
        assertThat(new ProcessBuilder("sh", "-c", "printf x >\"$0$(printf '\\377')\"", odd).start().waitFor()).isZero();
        var saved = checkpoints().save("r1", 9, model, Map.of(), true);
        assertThat(saved.manifest().orElseThrow().files()).extracting(Manifest.Entry::path).contains("odd\\xff")
                .doesNotContain(Manifest.NAME);
        checkpoints().restore(checkpoints().find("r1", OptionalLong.empty()), directory.resolve("back"), false);
        assertSame(model, directory.resolve("back"));
        assertThatThrownBy(() -> checkpoints().restore(saved, Path.of("/"), true)).isInstanceOf(Refusal.class)
                .hasMessage("/ cannot be replaced: choose a directory below it");
    }

    @Test
    void pinnedOnesStayAndLatestMovesBack() throws IOException {
        save(1);
        save(2);
        save(0);
        var stale = save(4);
        save(5);
        stale = checkpoints().find("r1", OptionalLong.of(stale.step()));
        checkpoints().destroy(checkpoints().find("r1", OptionalLong.of(5)));
        assertThat(stale.latest()).as("when it was found").isFalse();
        checkpoints().destroy(stale);
        assertThat(volume.paths().resolve("/r1/latest/weights.bin").size()).as("leads to what is there")
                .isEqualTo(300_000);
        checkpoints().destroy(checkpoints().find("r1", OptionalLong.of(0)));
        var last = save(3);
        checkpoints().pin(last, true);
        assertThatThrownBy(() -> checkpoints().destroy(checkpoints().find("r1", OptionalLong.of(3))))
                .isInstanceOf(Refusal.class).hasMessageContaining("pinned");
        checkpoints().pin(checkpoints().find("r1", OptionalLong.of(3)), false);
        checkpoints().destroy(checkpoints().find("r1", OptionalLong.of(3)));
        assertThat(new String(volume.vfs().readSymlink(volume.paths().resolve("/r1/latest", false).ino()),
                StandardCharsets.UTF_8)).isEqualTo(Checkpoint.directory(2));
        checkpoints().destroy(checkpoints().find("r1", OptionalLong.of(2)));
        checkpoints().destroy(checkpoints().find("r1", OptionalLong.of(1)));
        assertThat(checkpoints().list(Optional.empty())).isEmpty();
        assertThatThrownBy(() -> checkpoints().find("r1", OptionalLong.empty())).isInstanceOf(Refusal.class)
                .hasMessageContaining("no checkpoint of run");
        assertThat(workplace()).isEmpty();
    }

    @Test
    void whatADeadProcessLeftGoes() throws IOException {
        var tree = new Tree(volume.vfs(), Owner.ROOT);
        long place = new Workplace(volume.vfs(), tree).directory();
        String mine = Workplace.fresh("run-1.a", 70, OptionalInt.of(3));
        String dead = mine.replace("-" + ProcessHandle.current().pid() + "-", "-" + 4_194_305 + "-");
        for (String name : List.of(mine, dead, "elsewhere-1-" + UUID.randomUUID(),
                "elsewhere_1-1-%s.80.r2".formatted(UUID.randomUUID()))) {
            tree.write(tree.directory(place, name, 0700), "half", 0600, new byte[100]);
        }
        assertThat(checkpoints().underway())
                .extracting(Underway::run, Underway::step, one -> one.ranks().toString(), Underway::state,
                        one -> one.pid().isPresent())
                .containsExactlyInAnyOrder(tuple("run-1.a", 70L, "[3]", Underway.State.WRITING, true), tuple("run-1.a",
                        70L, "[3]", Underway.State.LEFT, true), tuple("r2", 80L, "[]", Underway.State.WRITING, false));
        now = Instant.now();
        save(1);
        assertThat(workplace()).hasSize(3).contains(mine).doesNotContain(dead);
        now = Instant.now().plus(Duration.ofDays(8));
        save(2);
        assertThat(workplace()).as("a week is enough for those elsewhere").containsExactly(mine);
    }

    /** What is asked of the metadata for one of two is asked for one of forty: the others are not read. */
    @Test
    void oneIsFoundWithoutReadingTheOthers() throws IOException {
        var engine = new CountingEngine(new MemoryMetaEngine());
        Path file = Files.writeString(directory.resolve("file"), "x");
        try (var test = TestVolume.open(engine, new MemoryBlockStore(), new ChunkSettings(64 << 10, 4096, 1 << 20),
                Runnable::run, () -> now)) {
            var all = new Checkpoints("ckpts", test.vfs(), Owner.ROOT, () -> now, 1, Observer.NONE);
            Checks check = () -> {
                long before = engine.questions.get();
                assertThat(all.find("r1", OptionalLong.of(1)).step()).isEqualTo(1);
                assertThat(all.find("r1", OptionalLong.empty()).latest()).isTrue();
                assertThatThrownBy(() -> all.find("r1", OptionalLong.of(99)))
                        .hasMessageContaining("no checkpoint of step 99");
                return engine.questions.get() - before;
            };
            long few = 0;
            for (int step = 1; step <= 40; step++) {
                all.save("r1", step, file, Map.of(), false);
                few = step == 2 ? check.run() : few;
            }
            assertThat(check.run()).isEqualTo(few);
        }
    }

    private interface Checks {
        long run() throws IOException;
    }

    /** Counts transactions. */
    private record CountingEngine(MetaEngine engine, AtomicLong questions) implements MetaEngine {
        CountingEngine(MetaEngine engine) {
            this(engine, new AtomicLong());
        }

        @Override
        public <R> R transact(Work<R> work) throws IOException {
            questions.incrementAndGet();
            return engine.transact(work);
        }

        @Override
        public <R> R read(Work<R> work) throws IOException {
            questions.incrementAndGet();
            return engine.read(work);
        }

        @Override
        public void sync() throws IOException {
            engine.sync();
        }

        @Override
        public void close() throws IOException {
            engine.close();
        }
    }
}
