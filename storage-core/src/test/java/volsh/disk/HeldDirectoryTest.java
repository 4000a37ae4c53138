package volsh.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A directory that is used through its descriptor, while somebody swaps what its name stands for: nothing is made, read
 * or deleted elsewhere.
 */
final class HeldDirectoryTest {
    private static final int NOBODY = 65534;

    @TempDir
    Path temporary;
    private Path directory;
    private Path moved;
    private Path elsewhere;
    private final OsDisk disk = new OsDisk();

    @BeforeEach
    void prepare() throws IOException {
        temporary = temporary.toRealPath();
        directory = temporary.resolve("ours");
        moved = temporary.resolve("moved");
        elsewhere = Files.createDirectory(temporary.resolve("elsewhere"));
    }

    private void swap() {
        try {
            Files.move(directory, moved);
            Files.createSymbolicLink(directory, elsewhere);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static void mode(Path path, int mode) throws IOException {
        Files.setAttribute(path, "unix:mode", mode);
    }

    private static void write(Disk disk, Path path) throws IOException {
        try (var file = disk.create(path)) {
            file.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), 0);
            file.sync();
        }
    }

    @Test
    void everythingIsDoneInWhatWasOpened() throws IOException {
        var held = disk.makeHeld(directory);
        swap();
        write(held, directory.resolve("a"));
        held.makeDirectories(directory.resolve("b"));
        held.makeDirectories(directory, List.of("c", "d"));
        write(held, directory.resolve("c/e"));
        held.rename(directory.resolve("a"), directory.resolve("f"));
        held.link(directory.resolve("f"), directory.resolve("g"));
        held.delete(directory.resolve("f"));
        held.syncDirectory(directory);
        held.makeDirectories(directory);
        assertThat(held.list(directory)).extracting(Disk.Listed::name).containsExactly("b", "c", "d", "g");
        assertThat(held.isDirectory(directory.resolve("b"))).isTrue();
        try (var file = held.open(directory.resolve("c/e")); var edited = held.edit(directory.resolve("g"))) {
            assertThat(file.size()).isEqualTo(3);
            assertThat(edited.size()).isEqualTo(3);
        }
        assertThat(held.stamp(directory).orElseThrow().file()).isEqualTo(disk.stamp(moved).orElseThrow().file());
        assertThat(held.byName().stamp(directory).orElseThrow().file())
                .isNotEqualTo(disk.stamp(moved).orElseThrow().file());
        assertThat(elsewhere).isEmptyDirectory();
    }

    /** The control: by its name, the link is followed. */
    @Test
    void byItsNameItIsLost() throws IOException {
        disk.makePrivateDirectories(directory);
        swap();
        write(disk, directory.resolve("a"));
        assertThat(elsewhere.resolve("a")).exists();
    }

    /** Swaps what a name stands for as soon as it was looked at. */
    private record Swapping(PathWalk way, Path name, Runnable swap) implements PathWalk {
        @Override
        public Optional<ModeAndOwner> look(Path next) throws IOException {
            var seen = way.look(next);
            if (next.equals(name)) {
                swap.run();
            }
            return seen;
        }

        @Override
        public Path next() {
            return way.next();
        }

        @Override
        public Path target() throws IOException {
            return way.target();
        }

        @Override
        public void enter() {
            way.enter();
        }

        @Override
        public void restart() throws IOException {
            way.restart();
        }
    }

    @Test
    void whatIsCheckedIsWhatIsOpened() throws IOException {
        Files.createDirectories(directory.resolve("cache"));
        Files.createDirectory(elsewhere.resolve("cache"));
        var held = new HeldPathWalk(PathDescriptor.root(), Path.of("/"), false);
        var path = directory.resolve("cache");
        assertThat(Trust.ofThisProcess().walk(new Swapping(held, directory.getFileName(), this::swap), path, false,
                true)).isEmpty();
        Files.createFile(held.held().path().resolve("file"));
        assertThat(moved.resolve("cache/file")).exists();
        assertThat(elsewhere.resolve("cache")).isEmptyDirectory();
    }

    /** The control: checked by its name, everything is fine, and what is used is something else. */
    @Test
    void byNamesTheRaceIsLost() throws IOException {
        Files.createDirectories(directory.resolve("cache"));
        Files.createDirectory(elsewhere.resolve("cache"));
        var path = directory.resolve("cache");
        assertThat(Trust.ofThisProcess().walk(new Swapping(new NamedPathWalk(Path.of("/")), directory.getFileName(),
                this::swap), path, false, true)).isEmpty();
        Files.createFile(path.resolve("file"));
        assertThat(elsewhere.resolve("cache/file")).exists();
    }

    @Test
    void whatIsMissingIsMadeForUsAlone() throws IOException {
        assertThatThrownBy(() -> disk.hold(directory)).isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining(directory.toString());
        var held = disk.makeHeld(directory.resolve("a/b"));
        for (var each : List.of(directory, directory.resolve("a"), directory.resolve("a/b"))) {
            assertThat((Integer) Files.getAttribute(each, "unix:mode") & 07777).isEqualTo(0700);
        }
        var below = held.makeHeld(directory.resolve("a/b/c"));
        write(below, directory.resolve("a/b/c/file"));
        assertThat(disk.hold(directory.resolve("a/b/c")).list(directory.resolve("a/b/c"))).hasSize(1);
    }

    @Test
    void failuresNameThePathThatWasGiven() throws IOException {
        var held = disk.makeHeld(directory);
        write(held, directory.resolve("a"));
        assertThatThrownBy(() -> held.open(directory.resolve("none"))).isInstanceOf(NoSuchFileException.class)
                .hasMessage(directory.resolve("none").toString());
        assertThatThrownBy(() -> held.create(directory.resolve("a"))).isInstanceOf(FileAlreadyExistsException.class)
                .hasMessage(directory.resolve("a").toString());
        assertThatThrownBy(() -> held.rename(directory.resolve("none"), directory.resolve("b")))
                .hasMessageContaining(directory.resolve("none").toString())
                .hasMessageContaining(directory.resolve("b").toString());
        assertThatThrownBy(() -> held.open(elsewhere.resolve("x"))).isInstanceOf(IllegalArgumentException.class);
        assertThat(held.list(directory.resolve("none"))).isEmpty();
    }

    /** The same is refused, in the same words, as by {@link Trust#ofDirectory}. */
    @Test
    void whatMayNotBeTrustedIsRefused() throws IOException {
        assumeTrue((Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0,
                "giving files to others needs root");
        Files.createDirectory(directory);
        Files.setAttribute(directory, "unix:mode", 0777);
        refused(directory);
        refused(directory.resolve("below"));
        Files.setAttribute(directory, "unix:mode", 0700);
        Files.setAttribute(directory, "unix:uid", NOBODY);
        refused(directory);
        Files.setAttribute(directory, "unix:uid", 0);
        swap();
        refused(directory);
        Files.setAttribute(directory, "unix:uid", NOBODY, LinkOption.NOFOLLOW_LINKS);
        refused(directory);
        refused(directory.resolve("below"));
        assertThat(elsewhere).isEmptyDirectory();
        refused(Files.createFile(temporary.resolve("file")));
    }

    private void refused(Path path) throws IOException {
        var flaw = Trust.ofThisProcess().ofDirectory(path).orElseThrow();
        assertThat(catchThrowable(() -> disk.makeHeld(path)))
                .isInstanceOfSatisfying(UntrustedException.class, untrusted -> {
            assertThat(untrusted.told()).isEqualTo("%s: %s", flaw.path(), flaw.reason());
            assertThat(untrusted.fix()).isEqualTo(flaw.fix());
        });
    }

    /** Names are bytes. */
    @Test
    void namesThatAreNoTextAreFound() throws Exception {
        assertThat(new ProcessBuilder("sh", "-c", "mkdir \"$(printf 'a\\377 b%%c')\"").directory(elsewhere.toFile())
                .start().waitFor()).isZero();
        try (var names = Files.newDirectoryStream(elsewhere)) {
            var odd = names.iterator().next();
            mode(elsewhere, 0777);
            LocalTrees.mode(odd, 0751);
            assertThat((Integer) Files.getAttribute(odd, "unix:mode") & 07777).isEqualTo(0751);
            mode(elsewhere, 0700);
            assertThat(disk.hold(odd).list(odd)).isEmpty();
        }
    }

    @Test
    void aLinkOfOursFurtherUpIsFollowed() throws IOException {
        Files.createDirectory(directory);
        Files.createSymbolicLink(temporary.resolve("relative"), Path.of("elsewhere/../ours"));
        Files.createSymbolicLink(temporary.resolve("absolute"), directory);
        for (var link : List.of("relative", "absolute")) {
            var below = temporary.resolve(link).resolve("below");
            write(disk.makeHeld(below), below.resolve(link));
            assertThat(directory.resolve("below").resolve(link)).exists();
        }
    }
}
