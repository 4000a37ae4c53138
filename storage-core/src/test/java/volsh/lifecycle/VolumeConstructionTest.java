package volsh.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import volsh.assembly.Assembly;
import volsh.assembly.Stores;
import volsh.assembly.VolumeParts;
import volsh.block.StoreUrl;
import volsh.catalog.Access;
import volsh.catalog.Catalog;
import volsh.catalog.HistorySpan;
import volsh.catalog.Home;
import volsh.catalog.StoreLayout;
import volsh.catalog.VolumeDraft;
import volsh.catalog.VolumeSpec;
import volsh.disk.OsDisk;
import volsh.engine.MetaEngine;
import volsh.engine.postgres.PostgresMetaEngine;
import volsh.engine.postgres.PostgresUrl;
import volsh.fs.Owner;
import volsh.meta.ChildJvm;
import volsh.place.LayoutPolicy;
import volsh.postgrestest.PostgresServer;
import volsh.ship.RecordingEngine;
import volsh.unit.ByteSize;
import volsh.volume.Volumes;

/**
 * A volume is created with all that was asked for, or not at all; and what a failure or a kill leaves is in nobody's
 * way.
 */
@Tag("volume")
final class VolumeConstructionTest {
    private static final boolean LONG = Boolean.getBoolean("volsh.long");
    private static final HistorySpan RETENTION = HistorySpan.of("30d");
    private static final ByteSize QUOTA = ByteSize.of("1GiB");
    private static final Map<String, String> LABELS = Map.of("team", "vision");
    private static final InstantSource CLOCK = InstantSource.system();
    /** System calls that change files. */
    private static final String CHANGES =
            "rename,renameat,renameat2,mkdir,mkdirat,unlink,unlinkat,link,linkat,fsync,fdatasync,pwrite64,ftruncate";
    private static final int KILLS = LONG ? Integer.MAX_VALUE : 1;

    @TempDir
    Path directory;

    /** Where its metadata and its blocks are. */
    enum Kind {
        LOCAL, SHIPPED, MIRRORED, DATABASE;

        VolumeDraft draft(String name, String database) {
            var draft = VolumeDraft.named(name).withStore("one").withLabels(LABELS).withRetention(RETENTION)
                    .withQuota(QUOTA);
            return switch (this) {
                case LOCAL -> draft;
                case SHIPPED -> draft.shippingMetadata(true);
                case MIRRORED -> draft.withSpread(StoreLayout.of(List.of("one", "two"), LayoutPolicy.of("mirror:2")));
                case DATABASE -> draft.withDatabase(PostgresUrl.of(database));
            };
        }
    }

    static Home home(Path top) {
        return new Home(top.resolve("config"), top.resolve("state"), top.resolve("cache"), top.resolve("run"));
    }

    /** A machine with two stores. */
    private record Machine(Path top, Kind kind, String name, String database) {
        static Machine make(Path top, Kind kind) throws Exception {
            var machine = new Machine(top, kind, PostgresServer.freshName(),
                    kind == Kind.DATABASE ? PostgresServer.shared().url() : "-");
            for (var store : List.of("one", "two")) {
                machine.volumes().stores()
                        .add(store, StoreUrl.of(Files.createDirectories(top.resolve(store)).toUri().toString()));
            }
            return machine;
        }

        VolumeDraft draft() {
            return kind.draft(name, database);
        }

        Volumes volumes() {
            return new Volumes(home(top), CLOCK, Owner.ROOT);
        }

        interface Making {
            void run(VolumeConstruction construction, VolumeSpec spec) throws IOException;
        }

        void create(volsh.disk.Disk disk, Making making) throws IOException {
            var home = home(top);
            var assembly = new Assembly(disk, UnaryOperator.identity(), UnaryOperator.identity());
            var catalog = new Catalog(home.state().resolve("catalog"), disk);
            var stores = new Stores(catalog, assembly, home, CLOCK);
            var parts = new VolumeParts(home, assembly, stores, CLOCK);
            var spec = new VolumeDesigns(stores, parts, CLOCK).design(draft());
            catalog.exclusively(() -> {
                making.run(new VolumeConstruction(catalog, parts, CLOCK, Owner.ROOT), spec);
                return null;
            });
        }

        /** It is there, whole, or the same draft makes it; and nothing else is left of any attempt. */
        void requireAllOrNothing() throws IOException {
            if (volumes().names().isEmpty()) {
                volumes().create(draft());
            }
            requireWhole();
            if (hasNote()) {
                volumes().create(VolumeDraft.named("other"));   // removes the note
                volumes().destroy("other", false);
                requireWhole();
            }
            volumes().destroy(name, false);
            try (var left = Files.walk(top)) {
                assertThat(left.filter(Files::isRegularFile).map(file -> top.relativize(file).toString())
                        .filter(file -> !file.endsWith("lock") && !file.startsWith("state/events"))
                        // of all volumes: goes with a later listing
                        .filter(file -> !file.startsWith("one/_volumes/.put-")))
                        .containsExactlyInAnyOrder("state/catalog/stores/one.json", "state/catalog/stores/two.json");
            }
            if (kind == Kind.DATABASE) {
                assertThat(PostgresMetaEngine.volumes(PostgresUrl.of(database))).doesNotContain(name);
            }
        }

        /** A creation that was cut off just behind its end leaves its note. */
        private boolean hasNote() throws IOException {
            return !new Catalog(home(top).state().resolve("catalog"), new OsDisk()).names(VolumeConstruction.CREATING)
                    .isEmpty();
        }

        private void requireWhole() throws IOException {
            assertThat(volumes().names()).containsExactly(name);
            assertThat(volumes().find(name).labels()).isEqualTo(LABELS);
            assertThat(volumes().snapshots().history(name).kept()).isEqualTo(RETENTION);
            try (var volume = volumes().open(name, Access.WRITE, "test")) {
                assertThat(volume.quotas().ofVolume().orElseThrow().rule().bytes()).isEqualTo(QUOTA.bytes());
                assertThat(volume.usage().inodes()).isEqualTo(1);
                assertThat(volume.spec().spread().stores().size()).isEqualTo(kind == Kind.MIRRORED ? 2 : 0);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"LOCAL, REFUSED", "LOCAL, UNSURE", "LOCAL, KILLED", "SHIPPED, REFUSED", "SHIPPED, KILLED",
            "MIRRORED, REFUSED", "MIRRORED, KILLED", "DATABASE, REFUSED", "DATABASE, UNSURE", "DATABASE, KILLED"})
    void aFailureOfTheDiskAtAnyStep(Kind kind, FailingDisk.Mode mode) throws Exception {
        boolean most = mode == FailingDisk.Mode.KILLED && kind == Kind.LOCAL;
        int stride = LONG ? 1 : most ? 5 : 16;
        boolean failed = true;
        for (int step = random("%s, %s".formatted(kind, mode)).nextInt(stride); failed; step += stride) {
            var machine = Machine.make(directory.resolve("step" + step), kind);
            var disk = new FailingDisk(step, mode);
            try {
                machine.create(disk.disk(), (construction, spec) -> construction.run(spec, machine.draft()));
                assertThat(machine.volumes().names()).as("step %d", step).containsExactly(machine.name());
            } catch (IOException injected) {
                assertThat(injected).as("step %d", step).hasStackTraceContaining("injected");
            }
            machine.requireAllOrNothing();
            failed = disk.hasFailed();
            assertThat(failed || step > 15).as("only %d steps", step).isTrue();
        }
    }

    private static Random random(String what) {
        long seed = System.nanoTime();
        System.out.printf("%s: seed %d%n", what, seed);
        return new Random(seed);
    }

    /** The rows of a new volume are one transaction, which fails before or after its commit. */
    @ParameterizedTest
    @CsvSource({"LOCAL, true", "LOCAL, false", "DATABASE, true", "DATABASE, false"})
    void aFailureOfTheMetadata(Kind kind, boolean committed) throws Exception {
        var machine = Machine.make(directory, kind);
        var transactions = new AtomicInteger();
        assertThatThrownBy(() -> machine.create(new OsDisk(), (construction, spec) -> {
            var empty = construction.empty(spec, machine.draft().limits());
            construction.run(spec, machine.draft().database(), (engine, store) ->
                    empty.fill(new RecordingEngine(failing(engine, committed, transactions), CLOCK), store));
        })).hasStackTraceContaining("injected");
        assertThat(transactions).hasValue(1);
        assertThat(machine.volumes().names()).isEmpty();
        machine.requireAllOrNothing();
    }

    private static MetaEngine failing(MetaEngine engine, boolean committed, AtomicInteger transactions) {
        return (MetaEngine) java.lang.reflect.Proxy.newProxyInstance(MetaEngine.class.getClassLoader(),
                new Class<?>[] {MetaEngine.class}, (_, method, arguments) -> {
                    if (!method.getName().startsWith("transact")) {
                        return method.invoke(engine, arguments);
                    }
                    transactions.incrementAndGet();
                    if (committed) {
                        method.invoke(engine, arguments);
                    }
                    throw new IOException("injected");
                });
    }

    /** Killed at a system call that changes something: at each of them with the large counts, else at one. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void aKillAtAnyStep(Kind kind) throws Exception {
        Assumptions.assumeTrue(canTrace(), "strace is missing or may not trace here");
        var random = random("killed, " + kind);
        boolean killed = true;
        for (int round = 1; killed && round <= KILLS; round++) {
            int call = LONG ? round : 1 + random.nextInt(25);
            var machine = Machine.make(directory.resolve("round" + round), kind);
            var calls = CHANGES + (kind == Kind.DATABASE ? ",write" : "");   // to its socket
            var strace = List.of("strace", "-f", "-o", "/dev/null", "-e", "trace=" + calls, "-e",
                    "inject=" + calls + ":signal=KILL:when=" + call);
            try (var child = ChildJvm.start(strace, Files.createDirectories(directory.resolve("temporary")),
                    CreatingProcess.class, machine.top(), kind, machine.name(), machine.database())) {
                boolean created = child.lines().contains("created");
                killed = child.exitCode() != 0;
                assertThat(killed || created).as("killed at call %d, or done", call).isTrue();
            }
            machine.requireAllOrNothing();
        }
        assertThat(LONG && killed).as("every step was tried").isFalse();
    }

    private static boolean canTrace() throws InterruptedException {
        try {
            return new ProcessBuilder("strace", "-o", "/dev/null", "true").start().waitFor() == 0;
        } catch (IOException missing) {
            return false;
        }
    }
}
