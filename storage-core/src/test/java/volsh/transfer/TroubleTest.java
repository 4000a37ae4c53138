package volsh.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.fs.FileKind;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.vfs.Vfs;
import volsh.volume.Volume;

/** What goes wrong concerns as few files as possible, and no file is ever half there. */
final class TroubleTest {
    @TempDir
    Path directory;

    private Workspace workspace;
    private Volume volume;
    private Path source;

    @BeforeEach
    void prepare() throws Exception {
        workspace = new Workspace(directory);
        volume = workspace.create("data");
        source = workspace.folder("source");
    }

    @AfterEach
    void close() throws Exception {
        volume.close();
    }

    private String read(String path) throws IOException {
        var target = workspace.local("read-" + System.nanoTime());
        Workspace.get(volume, path, target, Observer.NONE);
        return Files.readString(target);
    }

    private boolean isThere(String path) throws IOException {
        return volume.paths().place(path).found().isPresent();
    }

    @Test
    void unreadableFilesAreToldAndTheRestIsCopied() throws Exception {
        var failures = new Workspace.Failures();
        Files.writeString(source.resolve("good"), "good");
        Workspace.output(source, "mkfifo", "pipe");
        try (var put = new Put(volume.vfs(), Optional.empty(), 2, failures)) {
            // a file that not even root can read from its start
            put.add(Path.of("/proc/self/mem"), Vfs.ROOT, Name.of("memory"));
            put.add(source, Vfs.ROOT, Name.of("tree"));
            assertThat(put.finish()).isEqualTo(new Summary(1, 1, 4, 2));
        }
        assertThat(failures.reasons()).containsOnlyKeys("/proc/self/mem", source.resolve("pipe").toString());
        assertThat(failures.reasons().get("/proc/self/mem")).contains("Input/output error");
        assertThat(read("/tree/good")).isEqualTo("good");
        assertThat(isThere("/memory")).isFalse();
    }

    /** As root, {@code get x /dev/null} would otherwise leave the machine without it. */
    @Test
    void devicesAndPipesAreNotReplaced() throws Exception {
        Files.writeString(source.resolve("good"), "good");
        try (var put = new Put(volume.vfs(), Optional.empty(), 2, Observer.NONE)) {
            put.add(source, Vfs.ROOT, Name.of("tree"));
            put.finish();
        }
        Workspace.output(directory, "mkfifo", "pipe");
        var failures = new Workspace.Failures();
        try (var get = new Get(volume.vfs(), true, 2, failures)) {
            get.add("data:/tree/good", volume.paths().resolve("/tree/good"), directory.resolve("pipe"));
            assertThat(get.finish().failed()).isEqualTo(1);
        }
        assertThat(failures.reasons().values().toString()).contains("is a device, pipe or socket");
        assertThat(Files.readAttributes(directory.resolve("pipe"), BasicFileAttributes.class).isOther()).isTrue();
    }

    @Test
    void filesThatVanishBeforeTheirTurnAreTold() throws Exception {
        for (int i = 0; i < 10; i++) {
            Files.writeString(source.resolve("f" + i), "x");
        }
        Files.write(source.resolve("large"), Workspace.noise(100_000, 1));
        var failures = new Workspace.Failures() {
            @Override
            public boolean cancelled() {
                if (Thread.currentThread().getName().startsWith("transfer-")) {   // listed, and about to be read
                    delete(source.resolve("f3"));
                    delete(source.resolve("large"));
                }
                return false;
            }
        };
        var summary = Workspace.put(volume, source, "tree", failures);
        assertThat(failures.reasons()).containsKey(source.resolve("f3").toString());
        assertThat(summary.files() + summary.failed()).isEqualTo(11);
        assertThat(isThere("/tree/f4")).isTrue();
        assertThat(isThere("/tree/f3")).isFalse();
    }

    private static void delete(Path path) {
        try {
            Files.deleteIfExists(path);
        } catch (IOException unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    /** Appends to a file whenever some of it was copied, so many times. */
    private static final class Changing extends Workspace.Failures {
        private final Path path;
        private final AtomicInteger left;
        private final AtomicInteger changes = new AtomicInteger();

        Changing(Path path, int times) {
            this.path = path;
            this.left = new AtomicInteger(times);
        }

        @Override
        public void done(long files, long bytes) {
            if (bytes > 0 && left.getAndDecrement() > 0) {
                try {
                    Files.writeString(path, "more", StandardOpenOption.APPEND);
                    changes.incrementAndGet();
                } catch (IOException unexpected) {
                    throw new AssertionError(unexpected);
                }
            }
        }
    }

    @Test
    void aFileThatChangesOnceIsCopiedAsItIsThen() throws Exception {
        var file = Files.write(source.resolve("log"), Workspace.noise(100_000, 1));
        var changing = new Changing(file, 1);
        assertThat(Workspace.put(volume, file, "log", changing)).isEqualTo(new Summary(1, 0, 100_004, 0));
        assertThat(changing.changes).hasValue(1);
        Workspace.get(volume, "/log", workspace.local("back"), Observer.NONE);
        assertThat(workspace.local("back")).hasSameBinaryContentAs(file);
    }

    @Test
    void aFileThatNeverStopsChangingIsNotCopied() throws Exception {
        var file = Files.write(source.resolve("log"), Workspace.noise(100_000, 1));
        Workspace.put(volume, Files.writeString(workspace.local("before"), "before"), "log", Observer.NONE);
        var changing = new Changing(file, Integer.MAX_VALUE);
        assertThat(Workspace.put(volume, file, "log", changing)).isEqualTo(new Summary(0, 0, 0, 1));
        assertThat(changing.changes.get()).isGreaterThan(2);
        assertThat(changing.reasons().get(file.toString())).contains("changed while it was being copied");
        assertThat(read("/log")).isEqualTo("before");
    }

    @Test
    void aVolumeFileThatNeverStopsChangingIsNotCopied() throws Exception {
        Workspace.put(volume, Files.write(source.resolve("log"), Workspace.noise(3 << 20, 1)), "log", Observer.NONE);
        var target = Files.writeString(workspace.folder("out").resolve("log"), "before");
        var failures = new Workspace.Failures() {
            @Override
            public void done(long files, long bytes) {
                try {
                    volume.vfs().truncate(volume.paths().resolve("/log").ino(), (3 << 20) - System.nanoTime() % 1000);
                } catch (IOException unexpected) {
                    throw new AssertionError(unexpected);
                }
            }
        };
        assertThat(Workspace.get(volume, "/log", target, failures).failed()).isEqualTo(1);
        assertThat(failures.reasons()).containsKey("data:/log");
        assertThat(target).hasContent("before");
        assertThat(workspace.local("out")).isDirectoryContaining(path -> path.equals(target)).satisfies(
                folder -> assertThat(folder.toFile().list()).hasSize(1));
    }

    /** Asks to stop once so many bytes are on their way. */
    private static final class StopAfter implements Observer {
        private final AtomicLong left;

        StopAfter(long bytes) {
            this.left = new AtomicLong(bytes);
        }

        @Override
        public void done(long files, long bytes) {
            left.addAndGet(-bytes);
        }

        @Override
        public boolean cancelled() {
            return left.get() <= 0;
        }
    }

    @Test
    void aPutThatIsStoppedLeavesNoHalfFileAndNoBlocks() throws Exception {
        var big = Files.write(source.resolve("big"), Workspace.noise(8 << 20, 1));
        Workspace.put(volume, Files.writeString(workspace.local("before"), "before"), "big", Observer.NONE);
        assertThatThrownBy(() -> Workspace.put(volume, big, "big", new StopAfter(3 << 20)))
                .isInstanceOf(InterruptedIOException.class);
        assertThatThrownBy(() -> {
            try (var put = new Put(volume.vfs(), Optional.empty(), 1, new StopAfter(3 << 20)); var in =
                    Files.newInputStream(big)) {
                put.add(in, Vfs.ROOT, Name.of("stream"), 0644, Owner.ROOT);
            }
        }).isInstanceOf(InterruptedIOException.class);
        assertThat(read("/big")).isEqualTo("before");
        assertThat(isThere("/stream")).isFalse();
        volume.close();
        assertThat(workspace.blocks()).isZero();
        volume = workspace.open("data");
    }

    @Test
    void aTreeThatIsStoppedHoldsWholeFilesOnly() throws Exception {
        for (int i = 0; i < 60; i++) {
            Files.write(source.resolve("f" + i), Workspace.noise(40_000, i));
        }
        assertThatThrownBy(() -> Workspace.put(volume, source, "tree", new StopAfter(600_000)))
                .isInstanceOf(InterruptedIOException.class);
        var target = workspace.local("target");
        long there = Workspace.get(volume, "/tree", target, Observer.NONE).files();
        assertThat(there).isBetween(1L, 59L);
        for (var name : target.toFile().list()) {
            assertThat(target.resolve(name)).hasSameBinaryContentAs(source.resolve(name));
        }
    }

    @Test
    void aGetThatIsStoppedLeavesNothing() throws Exception {
        Workspace.put(volume, Files.write(source.resolve("big"), Workspace.noise(24 << 20, 1)), "big", Observer.NONE);
        var out = workspace.folder("out");
        Files.writeString(out.resolve("big"), "before");
        assertThatThrownBy(() -> Workspace.get(volume, "/big", out.resolve("big"), new StopAfter(1 << 20)))
                .isInstanceOf(InterruptedIOException.class);
        assertThat(out.resolve("big")).hasContent("before");
        assertThat(out.toFile().list()).containsExactly("big");
    }

    @Test
    void whatIsThereIsReplacedInOneStepButForDirectories() throws Exception {
        Workspace.output(source, "sh", "-c",
                "echo old > file; echo old > overlink; ln -s file link; mkdir dir; echo x > dir/kept; ln -s file"
                        + " linkbydir");
        Workspace.put(volume, source, "tree", Observer.NONE);
        var next = workspace.folder("next");
        Workspace.output(next, "sh", "-c",
                "echo new > file; ln -s elsewhere overlink; echo new > link; echo new > dir; mkdir linkbydir; echo y"
                        + " > added");
        var failures = new Workspace.Failures();
        assertThat(Workspace.put(volume, next, "tree", failures)).extracting(Summary::files, Summary::failed)
                .containsExactly(4L, 2L);
        assertThat(failures.reasons())
                .containsOnlyKeys(next.resolve("dir").toString(), next.resolve("linkbydir").toString());
        assertThat(read("/tree/file")).isEqualTo("new\n");
        assertThat(volume.paths().resolve("/tree/overlink", false).kind()).isEqualTo(FileKind.SYMLINK);
        assertThat(volume.paths().resolve("/tree/link", false).kind()).isEqualTo(FileKind.REGULAR);
        assertThat(read("/tree/dir/kept")).isEqualTo("x\n");
        assertThat(new Trail(volume.vfs(), volume.paths().resolve("/tree").ino()).next().found().name())
                .hasToString("added");
    }

    @Test
    void localFilesAreReplacedInOneStepButForDirectories() throws Exception {
        Workspace.output(source, "sh", "-c",
                "echo new > file; echo new > link; ln -s x overfile; echo new > dir; mkdir tofile");
        Workspace.put(volume, source, "tree", Observer.NONE);
        var out = workspace.folder("out");
        Workspace.output(out, "sh", "-c",
                "mkdir tree; cd tree; echo old > file; echo safe > ../aim; ln -s ../aim link; echo old > overfile; "
                + "mkdir dir; echo x > dir/kept; echo old > tofile; chmod 700 .");
        var failures = new Workspace.Failures();
        assertThat(Workspace.get(volume, "/tree", out.resolve("tree"), failures))
                .extracting(Summary::files, Summary::failed).containsExactly(3L, 2L);
        var tree = out.resolve("tree");
        assertThat(failures.reasons())
                .containsOnlyKeys(tree.resolve("dir").toString(), tree.resolve("tofile").toString());
        assertThat(tree.resolve("file")).hasContent("new\n");
        assertThat(tree.resolve("link")).isRegularFile().hasContent("new\n");
        assertThat(out.resolve("aim")).hasContent("safe\n");
        assertThat(Files.isSymbolicLink(tree.resolve("overfile"))).isTrue();
        assertThat(Workspace.output(out, "stat", "-c", "%a", "tree").strip())
                .as("a directory that is there stays as it is").isEqualTo("700");
        assertThat(tree.toFile().list()).hasSize(5);
    }

    @Test
    void aDamagedFileIsToldAndTheRestIsCopied() throws Exception {
        for (int i = 0; i < 4; i++) {
            Files.write(source.resolve("f" + i), Workspace.noise(200_000, i));
        }
        Workspace.put(volume, source, "tree", Observer.NONE);
        damageOneBlock();
        var failures = new Workspace.Failures();
        assertThat(Workspace.get(volume, "/tree", workspace.local("out"), failures))
                .extracting(Summary::files, Summary::failed).containsExactly(3L, 1L);
        assertThat(failures.reasons().firstKey()).startsWith("data:/tree/f");
        assertThat(workspace.local("out").toFile().list()).hasSize(3);
        try (var copy = new Copying(volume.vfs(), workspace.create("other").vfs(), 2, failures)) {
            copy.add("data:/tree", volume.paths().resolve("/tree"), Vfs.ROOT, Name.of("tree"));
            assertThat(copy.finish()).extracting(Summary::files, Summary::failed).containsExactly(3L, 1L);
        }
    }

    private void damageOneBlock() throws IOException {
        try (var blocks = Files.walk(directory.resolve("state/blocks"))) {
            var victim = blocks.filter(path -> Files.isRegularFile(path) && !path.endsWith("owner")).findFirst()
                    .orElseThrow();
            byte[] bytes = Files.readAllBytes(victim);
            bytes[bytes.length / 2] ^= 4;
            Files.write(victim, bytes);
        }
    }

    /**
     * Somebody who may write to the target puts a link in the place of a directory that was made there: what it leads
     * to keeps its mode and times.
     */
    @Test
    void aDirectoryThatBecomesALinkIsNotGivenItsMode() throws Exception {
        Files.createDirectory(source.resolve("d"));
        Files.setAttribute(source.resolve("d"), "unix:mode", 0777);
        Files.writeString(source.resolve("d/file"), "bytes");
        Workspace.put(volume, source, "source", Observer.NONE);
        var victim = workspace.folder("victim");
        Files.setAttribute(victim, "unix:mode", 0700);
        var before = Files.readAttributes(victim, "unix:mode,lastModifiedTime,uid");
        var target = workspace.local("target");
        var failures = new Workspace.Failures() {
            @Override
            public void done(long files, long bytes) {
                try {
                    if (files > 0 && !Files.isSymbolicLink(target.resolve("d"))) {
                        Files.setAttribute(target, "unix:mode", 0777);
                        Files.move(target.resolve("d"), workspace.local("moved"));
                        Files.createSymbolicLink(target.resolve("d"), victim);
                    }
                } catch (IOException failed) {
                    throw new java.io.UncheckedIOException(failed);
                }
            }
        };
        Workspace.get(volume, "/source", target, failures);
        assertThat(target.resolve("d")).isSymbolicLink();
        assertThat(Files.readAttributes(victim, "unix:mode,lastModifiedTime,uid")).isEqualTo(before);
    }
}
