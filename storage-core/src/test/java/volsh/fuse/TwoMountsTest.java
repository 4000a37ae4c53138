package volsh.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.hang.Eventually;
import volsh.meta.ChildJvm;
import volsh.vfs.MountPosix;
import volsh.vfs.Posix;

/** One volume mounted by two processes: what one has closed the other sees as soon as it opens it. */
@Tag("mount")
@Tag("data")
final class TwoMountsTest {
    private static final int ROUNDS = Boolean.getBoolean("volsh.long") ? 10_000 : 500;

    @TempDir
    private Path temporary;

    private ChildJvm first;
    private ChildJvm second;

    @BeforeEach
    void mount() throws Exception {
        var home = Files.createDirectory(temporary.resolve("home"));
        first = mount(home, "a");
        second = mount(home, "b");
    }

    private ChildJvm mount(Path home, String name) throws Exception {
        var child = ChildJvm.start(temporary, MountedProcess.class, home,
                Files.createDirectory(temporary.resolve(name)), MountedProcess.Kind.PLAIN);
        assertThat(child.line()).isEqualTo("mounted");
        return child;
    }

    @AfterEach
    void unmount() throws Exception {
        for (var name : new String[] {"a", "b"}) {
            TestMount.detach(temporary.resolve(name));
        }
        first.close();
        second.close();
    }

    @Test
    void whatOneHasClosedTheOtherOpens() throws Exception {
        long seed = System.nanoTime();
        System.out.println("two mounts seed " + seed);
        var random = new Random(seed);
        try (var a = new MountPosix(temporary.resolve("a")); var b = new MountPosix(temporary.resolve("b"))) {
            for (int round = 0; round < ROUNDS; round++) {
                Posix writer = random.nextBoolean() ? a : b;
                Posix reader = writer == a ? b : a;
                var path = "/f" + random.nextInt(4);
                byte[] bytes = new byte[random.nextInt(random.nextInt(10) == 0 ? 600_000 : 9_000)];
                random.nextBytes(bytes);
                int way = random.nextInt(3);
                write(writer, path, bytes, way);
                assertThat(reader.load(path)).as("round %d, way %d", round, way).isEqualTo(bytes);
                assertThat(writer.load(path)).as("round %d, way %d, where it was written", round, way).isEqualTo(bytes);
            }
        }
    }

    private static void write(Posix fs, String path, byte[] bytes, int way) throws Exception {
        switch (way) {
            case 0 -> fs.save(path, bytes);
            case 1 -> {
                fs.save("/new", bytes);
                fs.rename("/new", path);
            }
            default -> {
                if (fs.list("/").contains(path.substring(1))) {
                    fs.unlink(path);
                }
                fs.save(path, bytes);
            }
        }
    }

    /** A name or an attribute may be as old as the timeouts say, here a second; a listing is always new. */
    @Test
    void namesAreSeenAtOnceOrWithinTheTimeout() throws Exception {
        try (var a = new MountPosix(temporary.resolve("a")); var b = new MountPosix(temporary.resolve("b"))) {
            for (int i = 0; i < 20; i++) {
                a.mkdir("/d" + i, 0755);
                assertThat(b.list("/")).contains("d" + i);
                assertThat(b.stat("/d" + i).mode()).as("what was never asked for is not remembered").isEqualTo(0755);
                a.chmod("/d" + i, 0700);
            }
            Eventually.value("what is remembered for a second is asked for again", () -> b.stat("/d0").mode(),
                    mode -> mode == 0700);
            a.rmdir("/d0");
            assertThat(b.list("/")).doesNotContain("d0");
        }
    }
}
