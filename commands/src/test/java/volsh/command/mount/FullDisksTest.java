package volsh.command.mount;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;
import volsh.hang.Eventually;
import volsh.meta.ChildJvm;

/**
 * Real small file systems that are full, below a mount: what programs do before, meanwhile and afterwards ends as the
 * table says, with ENOSPC and no other error. Freeing space is always possible, what was acknowledged is there after a
 * kill, and health says full as long as something is. Commands are in {@link FullDiskCommandsTest}.
 */
@Timeout(600)
final class FullDisksTest {
    private static final int AT_ONCE = 4;
    private static final Set<String> REFUSED = Set.of("ENOSPC");
    private static final Set<String> DONE = Set.of("ok");
    /** What fits into files that are there is done. */
    private static final Set<String> EITHER = Set.of("ok", "ENOSPC");

    @TempDir
    Path directory;

    /** Which disk is full, of what, and how that shows. */
    enum Full {
        HOME("disk/home", "store", "", true, EITHER, EITHER, "the disk of the home has no space left"),
        HOME_INODES("disk/home", "store", "", false, DONE, DONE, ""),
        STORE("home", "disk/store", "", false, DONE, REFUSED, "cannot be written out"),
        STORE_INODES("home", "disk/store", "", false, DONE, REFUSED, "cannot be written out"),
        JOURNAL("home", "store", "--writeback --volatile --upload-delay 1h --journal-dir DISK/journal", false, DONE,
                DONE, ""),
        JOURNAL_AND_STORE("home", "disk/store", "--writeback --volatile --upload-delay 1h --journal-dir DISK/journal",
                false, DONE, REFUSED, "cannot be written out"),
        CACHE("home", "store", "--cache-dir DISK/cache", false, DONE, DONE, "");

        private final String home;
        private final String store;
        private final String options;
        private final boolean exhausts;
        private final Set<String> metadata;
        private final Set<String> data;
        private final String told;

        Full(String home, String store, String options, boolean exhausts, Set<String> metadata, Set<String> data,
                String told) {
            this.home = home;
            this.store = store;
            this.options = options;
            this.exhausts = exhausts;
            this.metadata = metadata;
            this.data = data;
            this.told = told;
        }

        /** Is it mounted once more? For the others, what the next command finds will do. */
        boolean remounts() {
            return !ofInodes() && this != CACHE;
        }

        boolean ofInodes() {
            return name().endsWith("INODES");
        }

        /** How each step may end. */
        Map<String, Set<String>> during() {
            var table = new LinkedHashMap<String, Set<String>>();
            table.put("read", DONE);
            table.put("write small", metadata);
            table.put("write large", data);
            table.put("append", data);
            table.put("fsync", DONE);
            for (var name : List.of("rename", "link", "chmod", "xattr")) {
                table.put(name, metadata);
            }
            table.put("statvfs", DONE);
            table.put("listdir", DONE);
            return table;
        }
    }

    /** All at once: what takes time is processes that start, and waiting for space. */
    @TestFactory
    Stream<DynamicTest> disks() throws IOException {
        var script = directory.resolve("full_disks.py");
        try (var source = FullDisksTest.class.getResourceAsStream("full_disks.py")) {
            Files.copy(source, script);
        }
        var threads = Executors.newFixedThreadPool(AT_ONCE, Thread.ofPlatform().daemon().factory());
        var rows = new ArrayList<DynamicTest>();
        for (var full : Full.values()) {
            var done = threads.submit(() -> new Row(full, Files.createDirectory(directory.resolve(full.name())),
                    script).run());
            rows.add(DynamicTest.dynamicTest(full.name(), done::get));
        }
        threads.shutdown();
        return rows.stream();
    }

    /** One disk, from the first mount to the last check. */
    private record Row(Full full, Path directory, Path script) {
        private Path point() {
            return directory.resolve("mnt");
        }

        private Path ledger() {
            return directory.resolve("ledger.json");
        }

        /** How each step of a phase ended. */
        private Map<String, String> run(ServedVolume served, String phase) throws Exception {
            var said = served.sh("python3 %s %s %s".formatted(script, phase, ledger()));
            assertThat(said.status()).as(said.said()).isZero();
            var ends = new LinkedHashMap<String, String>();
            for (var line : said.said().lines().toList()) {
                int cut = line.lastIndexOf(' ');
                ends.put(line.substring(0, cut), line.substring(cut + 1));
            }
            return ends;
        }

        private void allDone(ServedVolume served, String phase) throws Exception {
            assertThat(run(served, phase)).as(phase)
                    .allSatisfy((step, end) -> assertThat(end).as(step).isEqualTo("ok"));
        }

        Void run() throws Exception {
            var small = directory.resolve("disk");
            try (var disk = full.ofInodes() ? SmallDisk.mountInodes(small, 12, 400) : SmallDisk.mount(small, 12)) {
                var scratch = new Scratch(directory.resolve(full.home));
                scratch.ok("store add s1 file://" + directory.resolve(full.store));
                scratch.ok("volume create data --store s1 --block-size 1MiB");
                String options = full.options.replace("DISK", small.toString());
                whileFull(scratch, options, disk);
                assertThat(scratch.run("mounts recover").status()).as("while it is full").isIn(0, 8);
                if (full == Full.HOME) {
                    mountedOrRefused(scratch);
                }
                // else what waits in the journal is at risk from the start
                if (full == Full.HOME || full == Full.JOURNAL_AND_STORE) {
                    disk.free();
                }
                if (full.remounts()) {
                    mountAgain(scratch, options, disk);
                }
                scratch.ok("mounts recover");
                asAcknowledged(scratch);
            }
            return null;
        }

        /** A home that is full when it is mounted: it is, or that is why it is not. */
        private void mountedOrRefused(Scratch scratch) throws Exception {
            try (var child = ChildJvm.start(directory, ServedVolume.class, scratch.home(),
                    "mount data %s --foreground".formatted(point()))) {
                var mounted = point() + ",ok";
                var ended = CompletableFuture.supplyAsync(() -> exitCode(child));
                Eventually.holds("it is mounted, or refused", () -> ended.isDone()
                        || scratch.run("mounts list -o csv --columns mountPoint,state").out().contains(mounted));
                if (!ended.isDone()) {
                    scratch.ok("umount " + point());
                }
                assertThat(ended.get()).isIn(0, 8);
            }
        }

        private static int exitCode(ChildJvm child) {
            try {
                return child.exitCode();
            } catch (InterruptedException stopped) {
                throw new AssertionError(stopped);
            }
        }

        /**
         * Is mounted while the disk is still full, where that is no trouble, and unmounted when it is full again,
         * unless something waits in a journal.
         */
        private void mountAgain(Scratch scratch, String options, SmallDisk disk) throws Exception {
            try (var served = new ServedVolume(scratch, "data", point(), options)) {
                disk.free();
                allDone(served, "after");
                served.says("status -o csv --columns kind,health", 0, "mount,ok");
                if (full != Full.JOURNAL_AND_STORE) {
                    disk.fill();
                }
                scratch.ok("umount " + point());
                assertThat(served.child().exitCode()).isZero();
                disk.free();
            }
        }

        /** Ends with a kill. */
        private void whileFull(Scratch scratch, String options, SmallDisk disk) throws Exception {
            try (var served = new ServedVolume(scratch, "data", point(), options)) {
                allDone(served, "before");
                disk.fill();
                if (full.exhausts) {
                    assertThat(run(served, "exhaust")).containsEntry("mkdir", "ENOSPC");
                }
                var during = full.during();
                var ends = run(served, "during");
                assertThat(ends.keySet()).isEqualTo(during.keySet());
                assertThat(ends).as("%s: %s", full, ends)
                        .allSatisfy((step, end) -> assertThat(during.get(step)).as(step).contains(end));
                if (!full.told.isEmpty()) {
                    served.says("status -o json", 8, "\"full\"", full.told);
                    if (full == Full.STORE) {
                        served.says("doctor " + point() + " --for 200ms", 8, "full", full.told);
                    }
                }
                allDone(served, "free");
                disk.free();
                served.says("status -o csv --columns kind,health", 0, "mount,ok");
                if (!full.remounts()) {
                    allDone(served, "after");
                }
                disk.fill();
                served.child().kill();
                served.child().exitCode();
            }
        }

        private void asAcknowledged(Scratch scratch) throws Exception {
            var copy = directory.resolve("copy");
            scratch.ok("get -r data:/ " + copy);
            var process = new ProcessBuilder("python3", script.toString(), "check", ledger().toString())
                    .directory(copy.toFile()).redirectErrorStream(true).start();
            assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)).isEmpty();
            assertThat(process.waitFor()).isZero();
            scratch.ok("volume check data --deep");
        }
    }
}
