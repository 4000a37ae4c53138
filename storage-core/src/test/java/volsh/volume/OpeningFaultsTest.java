package volsh.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import volsh.assembly.Assembly;
import volsh.assembly.CacheSettings;
import volsh.block.BlockStore;
import volsh.block.StoreUrl;
import volsh.catalog.Access;
import volsh.catalog.Home;
import volsh.catalog.Moment;
import volsh.catalog.Refusal;
import volsh.catalog.StoreLayout;
import volsh.catalog.VolumeDraft;
import volsh.disk.Disk;
import volsh.disk.OsDisk;
import volsh.engine.MetaEngine;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.hang.Eventually;
import volsh.meta.Sessions;
import volsh.place.LayoutPolicy;
import volsh.unit.ByteSize;
import volsh.vfs.ManualClock;
import volsh.vfs.Vfs;
import volsh.writeback.Writeback;

/**
 * Opening and closing fail at every step: at each part of {@link VolumeOpening}, and at each call of the metadata, the
 * stores and the disk. Nothing stays behind, and what was acknowledged can be read afterwards. Steps are counted as
 * they come, so a new one is covered by itself. Each kind of opening takes every third step, not all the same ones;
 * with the large counts all.
 */
@Tag("volume")
@Tag("data")
final class OpeningFaultsTest {
    private static final int STRIDE = Boolean.getBoolean("volsh.long") ? 1 : 6;
    private static final Duration LONGER_THAN_A_LEASE = Sessions.LEASE.plusSeconds(10);
    private static final byte[] BYTES = Machine.bytes(1, 100_000);
    private static final Logger LOG = Logger.getLogger("volsh");   // failures are no news here

    @TempDir
    Path directory;

    private final ManualClock clock = new ManualClock();
    private final Faults faults = new Faults();
    private Home home;
    private Set<Thread> before;

    /** How a volume can be opened. */
    private enum Kind {
        NAMES("one"), READ("one"), WRITE("one"), WRITE_ALONE("one"), PAST("one"), WRITEBACK("one"),
        LEFT_JOURNALS("one"), MOUNTED("one"),
        CACHED("one"), STORES("several"), STORES_WRITEBACK("several"), SHIPPED("shipped");

        final String volume;

        Kind(String volume) {
            this.volume = volume;
        }

        boolean writes() {
            return !Set.of(NAMES, READ, PAST).contains(this);
        }
    }

    @BeforeEach
    void makeVolumes() throws IOException {
        LOG.setLevel(Level.OFF);
        home = Home.of(Map.of("VOLSH_HOME", directory.resolve("home").toString()), false);
        var volumes = volumes(new Assembly());
        for (int i = 1; i <= 3; i++) {
            volumes.stores().add("s" + i, StoreUrl.of("file://" + directory.resolve("s" + i)));
        }
        var draft = VolumeDraft.named("one").withBlockSize(ByteSize.of("64KiB")).withStore("s1");
        volumes.create(draft);
        volumes.create(VolumeDraft.named("shipped").withBlockSize(ByteSize.of("64KiB")).withStore("s1")
                .shippingMetadata(true));
        volumes.create(VolumeDraft.named("several").withBlockSize(ByteSize.of("64KiB"))
                .withSpread(StoreLayout.of(List.of("s1", "s2", "s3"), LayoutPolicy.of("mirror:2"))));
        for (var name : List.of("one", "shipped", "several")) {
            try (var volume = volumes.open(name, Access.WRITE, "test")) {
                Machine.write(volume, "first", BYTES);
            }
        }
        volumes.snapshots().create("one", "then", "");
        before = threads();
    }

    @AfterEach
    void logAgain() {
        LOG.setLevel(null);
    }

    private Volumes volumes(Assembly assembly) {
        return new Volumes(home, clock, Owner.ROOT, assembly, ClosingStack.Watcher.NONE);
    }

    /** Without faults. */
    private Volumes volumes() {
        return volumes(new Assembly());
    }

    private Volume open(Kind kind) throws IOException {
        var assembly = new Assembly(faults.over(Disk.class, new OsDisk(), "disk"), store -> faults.over(
                BlockStore.class, store, "store"), engine -> faults.over(MetaEngine.class, engine, "metadata"));
        var volume = new Volumes(home, clock, Owner.ROOT, assembly, faults).open(request(kind));
        if (kind == Kind.MOUNTED) {
            volume.collectInBackground();
        }
        return volume;
    }

    private OpeningRequest request(Kind kind) {
        return switch (kind) {
            case NAMES -> OpeningRequest.of(kind.volume, Access.NAMES, "test");
            case READ -> OpeningRequest.of(kind.volume, Access.READ, "test");
            case WRITE, STORES, SHIPPED -> OpeningRequest.of(kind.volume, Access.WRITE, "test");
            case WRITE_ALONE -> OpeningRequest.of(kind.volume, Access.WRITE_ALONE, "test");
            case PAST -> OpeningRequest.past(kind.volume, new Moment.Named("then"), "test");
            case WRITEBACK, STORES_WRITEBACK, MOUNTED -> OpeningRequest.of(kind.volume, Access.WRITE, "test")
                    .lasting(Optional.of(Writeback.USUAL));
            case LEFT_JOURNALS -> OpeningRequest.of(kind.volume, Access.WRITE, "test").lasting();
            case CACHED -> OpeningRequest.of(kind.volume, Access.WRITE, "test").cached(new CacheSettings(ByteSize.of(
                    "1MiB"), List.of(directory.resolve("cache-a"), directory.resolve("cache-b")), CacheSettings.QUOTA));
        };
    }

    // ---- failures

    private static Random random(Kind kind) {
        long seed = System.nanoTime();
        System.out.printf("%s: seed %d%n", kind, seed);
        return new Random(seed);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void openingFailsAtEveryStep(Kind kind) throws Exception {
        int step = -random(kind).nextInt(STRIDE);
        do {
            var files = leaveJournal(kind, step);
            step += STRIDE;
            faults.failAt(step);
            var failed = catchThrowable(() -> {
                try (var _ = open(kind)) {
                    faults.stop();
                }
            });
            faults.stop();
            assertThat(failed == null || faults.isInjected(failed)).as("%s is told: %s", faults.failed, failed)
                    .isTrue();
            awaitNothingLeft(kind, faults.failed, false);
            assertWholeAgain(kind, files);
        } while (faults.hasFailed());
        assertThat(step).as("steps of opening %s: %s", kind, faults.seen).isGreaterThan(8);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void closingFailsAtEveryStep(Kind kind) throws Exception {
        int step = -random(kind).nextInt(STRIDE);
        do {
            var files = leaveJournal(kind, step);
            var volume = open(kind);
            if (kind.writes()) {
                files.add("file" + step);
                Machine.write(volume, files.getLast(), BYTES);   // acknowledged
            }
            step += STRIDE;
            faults.failAt(step);
            var failed = catchThrowable(volume::close);
            faults.stop();
            assertThat(failed == null || faults.isInjected(failed)).as("%s is told: %s", faults.failed, failed)
                    .isTrue();
            awaitNothingLeft(kind, faults.failed, true);
            assertWholeAgain(kind, files);
        } while (faults.hasFailed());
        assertThat(step).as("steps of closing %s: %s", kind, faults.seen).isGreaterThan(2);
    }

    /** A journal of a process that is gone. */
    private List<String> leaveJournal(Kind kind, int step) throws IOException {
        var files = new ArrayList<>(List.of("first"));
        if (kind == Kind.LEFT_JOURNALS) {
            var lazy = new Writeback(Optional.empty(), Writeback.LIMIT, Duration.ofHours(1), Duration.ZERO);
            files.add("left" + step);
            try (var volume = volumes()
                    .open(OpeningRequest.of(kind.volume, Access.WRITE, "test").lasting(Optional.of(lazy)))) {
                Machine.write(volume, files.getLast(), BYTES);
            }
        }
        return files;
    }

    /** Also a volume that somebody else has open alone is refused without a trace; nothing is injected here. */
    @Test
    void aRefusedOpeningLeavesNoJournal() throws Exception {
        try (var _ = volumes().open("one", Access.WRITE_ALONE, "alone")) {
            assertThatThrownBy(() -> open(Kind.WRITEBACK)).isInstanceOf(Refusal.class);
            assertThat(volumes().journals().here("one")).isEmpty();
            assertThat(volumes().status("one").sessions()).hasSize(1);
        }
        awaitNothingLeft(Kind.WRITEBACK, Optional.empty(), false);
    }

    @Test
    void aVolumeClosesOnce() throws Exception {
        var volume = open(Kind.WRITEBACK);
        faults.failAt(Integer.MAX_VALUE);
        volume.close();
        assertThat(faults.seen).filteredOn(step -> step.startsWith("closed")).doesNotHaveDuplicates()
                .contains("closed files", "closed threads", "closed journals", "closed session", "closed store",
                        "closed metadata");
        int count = faults.count;
        volume.close();
        assertThat(faults.count).isEqualTo(count);
        faults.stop();
        awaitNothingLeft(Kind.WRITEBACK, Optional.empty(), false);
    }

    /** What was not written is dropped, whatever fails then; what was acknowledged stays. */
    @ParameterizedTest
    @EnumSource(value = Kind.class, names = {"WRITE", "MOUNTED", "STORES"})
    void aDiscardedVolumeFailsAtEveryStep(Kind kind) throws Exception {
        int step = -random(kind).nextInt(STRIDE);
        do {
            var volume = open(kind);
            var kept = "kept" + step;
            Machine.write(volume, kept, BYTES);
            var dropped = volume.vfs().create(Vfs.ROOT, Name.of("dropped" + step), 0644, Owner.ROOT);
            dropped.write(0, ByteBuffer.wrap(BYTES));
            volume.discard();
            step += STRIDE;
            faults.failAt(step);
            var failed = catchThrowable(volume::close);
            faults.stop();
            assertThat(failed == null || faults.isInjected(failed)).as("%s is told: %s", faults.failed, failed)
                    .isTrue();
            awaitNothingLeft(kind, faults.failed, true);
            assertWholeAgain(kind, List.of("first", kept));
        } while (faults.hasFailed());
    }

    /** Closing is interrupted while blocks wait: the locks are free, and the blocks are there. */
    @Test
    void anInterruptedCloseLeavesNoLock() throws Exception {
        var lazy = new Writeback(Optional.empty(), Writeback.LIMIT, Duration.ofHours(1), Writeback.PATIENCE);
        var volume = volumes().open(OpeningRequest.of("one", Access.WRITE, "test").lasting(Optional.of(lazy)));
        Machine.write(volume, "file", BYTES);
        Thread.currentThread().interrupt();
        var failed = catchThrowable(volume::close);
        assertThat(Thread.interrupted()).as("stays interrupted").isTrue();
        assertThat(failed).isInstanceOf(IOException.class);
        Eventually.holds("threads and files are gone", () -> leftThreads().isEmpty() && openFiles().isEmpty());
        clock.advance(LONGER_THAN_A_LEASE);
        assertWholeAgain(Kind.WRITEBACK, List.of("first", "file"));
    }

    /** What is not closed is noticed. */
    @ParameterizedTest
    @CsvSource({"metadata, meta.db", "session, purpose=test", "journals, /lock", "housekeeping, housekeeping", "gc, gc",
            "files, /lock"})
    void aPartThatIsNotClosedIsNoticed(String part, String left) throws Exception {
        var volume = open(part.equals("files") ? Kind.CACHED : Kind.MOUNTED);
        faults.leaveOut = part;
        assertThat(catchThrowable(volume::close)).hasMessageContaining("left out");
        assertThat(leftovers("one")).as(part).anyMatch(each -> each.contains(left));
    }

    // ---- what may be left

    /**
     * Rows may be left when the metadata itself, or the journal's disk, failed while it was closed: the next opening
     * removes them.
     */
    private void awaitNothingLeft(Kind kind, Optional<String> failed, boolean closing) {
        boolean rows = closing && failed.filter(call -> call.startsWith("metadata") || call.startsWith("disk"))
                .isPresent();
        try {
            Eventually.holds("nothing is left", () -> leftThreads().isEmpty() && openFiles().isEmpty());
        } catch (AssertionError left) {
            throw new AssertionError("%s after %s: %s".formatted(kind, failed, leftovers(kind.volume)), left);
        }
        assertThat(rows ? List.of() : leftRows(kind)).as("%s after %s", kind, failed).isEmpty();
    }

    private List<String> leftRows(Kind kind) {
        return leftRows(kind.volume);
    }

    private List<String> leftovers(String volume) {
        var all = new ArrayList<>(leftThreads());
        all.addAll(openFiles());
        all.addAll(leftRows(volume));
        return all;
    }

    private List<String> leftRows(String volume) {
        try {
            var status = volumes().status(volume);
            var rows = new ArrayList<String>();
            status.sessions().forEach(session -> rows.add(session.toString()));
            status.journals().stream().filter(journal -> !isLeft(journal.bytes()))
                    .forEach(journal -> rows.add(journal.toString()));
            return rows;
        } catch (IOException unreadable) {
            return List.of(unreadable.toString());
        }
    }

    private static boolean isLeft(long bytes) {
        return bytes > 0;
    }

    private List<String> leftThreads() {
        return threads().stream().filter(thread -> !before.contains(thread)).map(Thread::getName)
                .filter(name -> !name.equals("descriptors") && !name.startsWith("ForkJoinPool")).toList();
    }

    private static Set<Thread> threads() {
        return new HashSet<>(Thread.getAllStackTraces().keySet());
    }

    /**
     * Files of this test that are open, of which some are locked. Directories that are held are closed by the garbage
     * collector.
     */
    private List<String> openFiles() {
        var open = new ArrayList<String>();
        for (var descriptor : new java.io.File("/proc/self/fd").listFiles()) {
            try {
                var file = Files.readSymbolicLink(descriptor.toPath()).toString();
                if (file.startsWith(directory.toString()) && !Files.isDirectory(descriptor.toPath())) {
                    open.add(file);
                }
            } catch (IOException closed) {
                // it was the one by which they are listed
            }
        }
        return open;
    }

    /** The volume can be opened in every way, these files are whole, and then nothing is left. */
    private void assertWholeAgain(Kind kind, List<String> files) throws IOException {
        clock.advance(LONGER_THAN_A_LEASE);   // a session that could not be ended is in nobody's way for long
        try (var volume = volumes().open(OpeningRequest.of(kind.volume, Access.WRITE_ALONE, "test").lasting())) {
            for (var file : files) {
                assertThat(Machine.read(volume, file)).as("%s after %s", file, faults.failed).isEqualTo(BYTES);
            }
        }
        assertThat(leftRows(kind)).as("%s after %s, opened again", kind, faults.failed).isEmpty();
    }

    /** Counts the steps of this thread, and fails one of them. */
    private static final class Faults implements ClosingStack.Watcher {
        private final List<String> seen = new ArrayList<>();
        private Thread counted;
        private int failing;
        private int count;
        private Optional<String> failed = Optional.empty();
        private String leaveOut = "";

        void failAt(int step) {
            seen.clear();
            count = 0;
            failing = step;
            failed = Optional.empty();
            counted = Thread.currentThread();
        }

        void stop() {
            counted = null;
        }

        boolean hasFailed() {
            return failed.isPresent();
        }

        boolean isInjected(Throwable told) {
            for (var at = told; at != null; at = at.getCause()) {
                if (at instanceof Injected || Arrays.stream(at.getSuppressed()).anyMatch(Injected.class::isInstance)) {
                    return true;
                }
            }
            return false;
        }

        private void step(String name) throws Injected {
            if (Thread.currentThread() == counted) {
                seen.add(name);
                if (++count == failing) {
                    failed = Optional.of(name);
                    throw new Injected(name);
                }
            }
        }

        @Override
        public void opening(String part) throws IOException {
            step("opening " + part);
        }

        @Override
        public void closing(String part) throws IOException {
            if (part.equals(leaveOut)) {
                throw new Injected("left out: " + part);
            }
        }

        @Override
        public void closed(String part) throws IOException {
            step("closed " + part);
        }

        /** The same, whose calls are steps. One that closes does so before it fails. */
        <T> T over(Class<T> type, T real, String name) {
            return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type},
                    (_, method, arguments) -> {
                boolean fails = Arrays.asList(method.getExceptionTypes()).contains(IOException.class);
                String step = name + " " + method.getName();
                boolean closes = method.getName().equals("close");
                if (fails && !closes) {
                    step(step);
                }
                var result = call(method, real, arguments);
                if (fails && closes) {
                    step(step);
                }
                return result instanceof Disk held ? over(Disk.class, held, name) : result;
            }));
        }

        private static Object call(Method method, Object real, Object... arguments) throws Throwable {
            try {
                return method.invoke(real, arguments);
            } catch (InvocationTargetException failed) {
                throw failed.getCause();
            }
        }
    }

    private static final class Injected extends IOException {
        private static final long serialVersionUID = 1;

        Injected(String step) {
            super("injected: " + step);
        }
    }
}
