package volsh.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.vfs.Vfs;

/** What goes into a volume comes out of it as it was. */
@Tag("data")
final class RoundTripTest {
    @TempDir
    Path directory;

    private Workspace workspace;
    private Path source;

    @BeforeEach
    void prepare() throws Exception {
        workspace = new Workspace(directory);
        source = workspace.folder("source");
    }

    private void comesBack(long files) throws Exception {
        var target = workspace.local("target");
        try (var volume = workspace.create("data")) {
            assertThat(Workspace.put(volume, source, "tree", Observer.NONE)).extracting(Summary::files, Summary::failed)
                    .containsExactly(files, 0L);
        }
        try (var volume = workspace.open("data")) {
            assertThat(Workspace.get(volume, "/tree", target, Observer.NONE))
                    .extracting(Summary::files, Summary::failed).containsExactly(files, 0L);
        }
        assertThat(Workspace.listing(target)).isEqualTo(Workspace.listing(source)).isNotEmpty();
        assertThat(Workspace.sameBytes(source, target)).isTrue();
    }

    @Test
    void filesOfEverySizeThatMatters() throws Exception {
        int inline = Workspace.INLINE;
        int block = Workspace.BLOCK;
        int[] sizes = {0, 1, inline - 1, inline, inline + 1, block / 2 - 1, block / 2, block / 2 + 1, block - 1, block,
                block + 1,
            2 * block, 3 * block + 7, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 9 << 20};
        for (int size : sizes) {
            Files.write(source.resolve("f" + size), Workspace.noise(size, size));
        }
        comesBack(sizes.length);
    }

    @Test
    void batchesThatAreExactlyFull() throws Exception {
        for (int i = 0; i < 8; i++) {
            Files.write(source.resolve("half" + i), Workspace.noise(Workspace.BLOCK / 2, i));
        }
        for (int i = 0; i < 200; i++) {
            Files.write(source.resolve("small" + i), Workspace.noise(Workspace.INLINE + i % 7, i));
        }
        comesBack(208);
    }

    @Test
    void emptyDirectoriesAndModesAndOldTimes() throws Exception {
        Workspace.output(source, "sh", "-c",
                "mkdir -p a/b c; echo x > c/f; chmod 0444 c/f; chmod 0500 a/b; chmod 1777 a; touch -d '1969-07-20"
                        + " 20:17:40' c/f; touch -d '2001-09-09 01:46:40.123456789' c; touch -d '2038-01-19"
                        + " 03:14:08.5' a/b; chmod 2750 c");
        comesBack(1);
    }

    @Test
    void linksOfBothKinds() throws Exception {
        Workspace.output(source, "sh", "-c",
                "echo small > a; ln a b; mkdir d; ln a d/c; head -c 200000 /dev/urandom > big; ln big d/big2; "
                + "ln -s nowhere dangling; ln -s d directory; ln -s ../source/a up; ln -s /nowhere absolute");
        comesBack(9);
        assertThat(workspace.local("target").resolve("a"))
                .hasSameBinaryContentAs(workspace.local("target").resolve("d/c"));
        assertThat(Workspace.output(workspace.local("target"), "stat", "-c", "%h %i", "a", "b", "d/c").lines()
                .distinct()).hasSize(1);
        try (var volume = workspace.open("data")) {
            assertThat(volume.paths().resolve("/tree/big").links()).isEqualTo(2);
            assertThat(volume.paths().resolve("/tree/big").ino())
                    .isEqualTo(volume.paths().resolve("/tree/d/big2").ino());
        }
    }

    @Test
    void namesAndTargetsThatAreNotText() throws Exception {
        Workspace.output(source, "sh", "-c",
                "mkdir \"$(printf 'd\\377')\"; cd \"$(printf 'd\\377')\"; echo x > \"$(printf 'caf\\351')\"; ln -s"
                        + " \"$(printf 'caf\\351/../x')\" \"$(printf 'l\\200\\201')\"; ln -s \"$(printf"
                        + " '/\\376bs')\" abs; echo y > \"$(printf 'new\\nline')\"; echo z > 'per%cent ?*'; echo u >"
                        + " ünïcödé; ln -s ünïcödé zulink");
        comesBack(7);
    }

    @Test
    void aNameAsLongAsNamesCanBe() throws Exception {
        Files.write(source.resolve("n".repeat(255)), new byte[] {1});
        Files.createSymbolicLink(source.resolve("l".repeat(255)), Path.of("x".repeat(255)));
        comesBack(2);
    }

    @Test
    void holesStayHoles() throws Exception {
        long size = 64 << 20;
        sparse(source.resolve("middle"), size, 0, size - 10);
        sparse(source.resolve("end"), size, 5 << 20);
        sparse(source.resolve("nothing"), size);
        comesBack(3);
        try (var volume = workspace.open("data")) {
            assertThat(volume.paths().resolve("/tree/middle").allocated()).isBetween(1L, 4L << 20);
            assertThat(volume.paths().resolve("/tree/nothing").allocated()).isZero();
        }
        for (var name : new String[] {"middle", "end", "nothing"}) {
            assertThat(Long.parseLong(Workspace.output(workspace.local("target"), "stat", "-c", "%b", name)
                    .strip()) * 512).as(name).isLessThan(8 << 20);
        }
    }

    private static void sparse(Path path, long size, long... positions) throws Exception {
        try (var channel = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (long position : positions) {
                channel.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), position);
            }
        }
        Workspace.output(path.getParent(), "truncate", "-s", Long.toString(size), path.toString());
    }

    @Test
    void aDeepTree() throws Exception {
        var at = source;
        for (int i = 0; i < 300; i++) {
            at = Files.createDirectory(at.resolve("d" + i));
        }
        Files.writeString(at.resolve("bottom"), "here");
        comesBack(1);
    }

    @Test
    void aTreeOfManyFiles() throws Exception {
        int directories = Boolean.getBoolean("volsh.long") ? 1000 : 20;
        for (int d = 0; d < directories; d++) {
            var folder = Files.createDirectory(source.resolve("d" + d));
            for (int f = 0; f < 100; f++) {
                Files.write(folder.resolve("f" + f), Workspace.noise(f * 50, f));
            }
        }
        var wide = Files.createDirectory(source.resolve("wide"));
        for (int f = 0; f < 1000; f++) {
            Files.writeString(wide.resolve("name-" + f), "x");
        }
        comesBack(directories * 100L + 1000);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, Workspace.INLINE, Workspace.BLOCK, (1 << 20) + 3, 20 << 20})
    void streams(int size) throws Exception {
        byte[] bytes = Workspace.noise(size, 5);
        try (var volume = workspace.create("data")) {
            try (var put = new Put(volume.vfs(), Optional.empty(), 1, Observer.NONE)) {
                put.add(new ByteArrayInputStream(bytes), Vfs.ROOT, Name.of("f"), 0600, new Owner(7, 8));
                assertThat(put.finish()).isEqualTo(new Summary(1, 0, size, 0));
            }
            var out = new ByteArrayOutputStream();
            try (var get = new Get(volume.vfs(), false, 1, Observer.NONE)) {
                get.stream(volume.paths().resolve("/f"), Channels.newChannel(out));
                assertThat(get.finish().bytes()).isEqualTo(size);
            }
            assertThat(out.toByteArray()).isEqualTo(bytes);
            assertThat(volume.paths().resolve("/f")).satisfies(file -> assertThat(file.mode()).isEqualTo(0600));
        }
    }

    @Test
    void ownersAreKeptOrGivenAndSetIdBitsGoWithThem() throws Exception {
        Workspace.output(source, "sh", "-c", "echo x > f; chmod 4755 f; head -c 100000 /dev/urandom > g; chmod 2755 g");
        try (var volume = workspace.create("data")) {
            Workspace.put(volume, source, "kept", Observer.NONE);
            try (var put = new Put(volume.vfs(), Optional.of(new Owner(1234, 56)), 2, Observer.NONE)) {
                put.add(source, Vfs.ROOT, Name.of("given"));
                put.finish();
            }
            assertThat(volume.paths().resolve("/kept/f").mode()).isEqualTo(04755);
            for (var name : new String[] {"f", "g"}) {
                var given = volume.paths().resolve("/given/" + name);
                assertThat(new int[] {given.mode(), given.uid(), given.gid()}).as(name).containsExactly(0755, 1234, 56);
            }
            try (var get = new Get(volume.vfs(), false, 2, Observer.NONE)) {
                get.add("x", volume.paths().resolve("/kept/f"), workspace.local("out"));
                get.finish();
            }
            assertThat(Workspace.output(directory, "stat", "-c", "%a", "out").strip()).isEqualTo("755");
        }
    }
}
