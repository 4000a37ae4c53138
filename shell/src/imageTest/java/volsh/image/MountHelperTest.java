package volsh.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.fuse.HomeProcesses;
import volsh.hang.Eventually;

/** Volumes mounted by mount(8), by a line of fstab and by a service manager. */
final class MountHelperTest {
    private static final Map<String, String> PATH = Map.of("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");

    @TempDir
    Path directory;

    private Path home;
    private Path mountPoint;

    @BeforeEach
    void prepare() throws IOException {
        assumeTrue(Files.isWritable(Path.of("/dev/fuse")) && "root".equals(System.getProperty("user.name")),
                "needs root and /dev/fuse");
        home = directory.resolve("home");
        mountPoint = Files.createDirectory(directory.resolve("mnt"));
        assertThat(volsh("volume", "create", "data").exit()).isZero();
        assertThat(volsh("mkdir", "data:/train").exit()).isZero();
    }

    @AfterEach
    void clean() throws IOException {
        volsh("umount", "--all", "--lazy");
        HomeProcesses.awaitEnd(directory);
    }

    private Image.Ran volsh(String... arguments) throws IOException {
        return Image.built().run(Map.of("VOLSH_HOME", home.toString()), arguments);
    }

    /** As mount(8) calls it. */
    private Image.Ran helper(String... arguments) throws IOException {
        var words = new ArrayList<>(List.of(Image.built().home().resolve("bin/mount.volsh").toString()));
        words.addAll(List.of(arguments));
        return Image.run(PATH, directory, words);
    }

    private String options() throws IOException {
        return volsh("mounts", "show", mountPoint.toString(), "-o", "value:options").out().strip();
    }

    @Test
    void theHelperMountsAsFstabSays() throws Exception {
        var mounted = helper("data:/train", mountPoint.toString(), "-n", "-o",
                "rw,noatime,_netdev,noauto,x-systemd.automount,uid=1000,home=" + home);
        assertThat(mounted.exit()).as(mounted.err()).isZero();
        assertThat(mounted.out() + mounted.err()).isEmpty();
        Files.writeString(mountPoint.resolve("f"), "x");
        assertThat(options()).startsWith("rw,nosuid,nodev,noatime").contains("uid=1000");
        assertThat(volsh("cat", "data:/train/f").out()).isEqualTo("x");
        assertThat(helper("data", mountPoint.toString(), "-o", "home=" + home).exit()).as("mounted already")
                .isEqualTo(32);
        var pid = volsh("mounts", "list", "-o", "value:pid").out().strip();
        assertThat(Image.run(PATH, directory, List.of("umount", mountPoint.toString())).exit()).isZero();
        MountProcessTest.awaitEnd(pid);   // it writes to the directory
    }

    @Test
    void aMountBecomesReadOnlyAndBack() throws Exception {
        var own = "home=" + home;
        assertThat(helper("data", mountPoint.toString(), "-o", own).exit()).isZero();
        assertThat(helper("data", mountPoint.toString(), "-o", "remount,uid=5," + own).exit()).isEqualTo(1);
        var changed = helper("data", mountPoint.toString(), "-o", "rw,remount,ro," + own);
        assertThat(changed.exit()).as(changed.err()).isZero();
        assertThat(volsh("mounts", "list", "-o", "value:mode").out()).isEqualTo("read-only\n");
        assertThat(Image.run(PATH, directory, List.of("touch", mountPoint.resolve("f").toString())).err())
                .contains("Read-only file system");
        assertThat(helper("data", mountPoint.toString(), "-o", "remount,rw," + own).exit()).isZero();
        assertThat(volsh("mounts", "show", mountPoint.toString(), "-o", "value:mode").out()).isEqualTo("read-write\n");
        Files.writeString(mountPoint.resolve("f"), "x");
        assertThat(volsh("umount", mountPoint.toString()).exit()).isZero();
        assertThat(helper("data", mountPoint.toString(), "-o", "ro," + own).exit()).isZero();
        assertThat(helper("data", mountPoint.toString(), "-o", "remount,rw," + own).err())
                .contains("was mounted read-only");
    }

    @Test
    void theHelperEndsWithTheCodesOfMount() throws IOException {
        var own = "home=" + home;
        assertThat(helper().exit()).isEqualTo(1);
        assertThat(helper("data", mountPoint.toString(), "-x").exit()).isEqualTo(1);
        assertThat(helper("data", mountPoint.toString(), "-o", own + ",nonsense").exit()).isEqualTo(1);
        assertThat(helper("data", mountPoint.toString(), "-o", own + ",nonsense").err())
                .contains("unknown mount option: 'nonsense'");
        assertThat(helper("nothing", mountPoint.toString(), "-o", own).exit()).isEqualTo(32);
        assertThat(helper("data", mountPoint.toString(), "-f", "-v", "-o", own).exit()).as("only as if").isZero();
        assertThat(volsh("mounts", "list", "-o", "json").out().strip()).isEqualTo("[]");
    }

    /** In a mount name space of its own, where the helper lies in /sbin. */
    @Test
    void mountFindsTheHelper() throws IOException {
        var sbin = directory.resolve("root");
        assertThat(volsh("service", "helper", "--root", sbin.toString(), "--dry-run").out())
                .contains("link", "sbin/mount.volsh");
        var installed = volsh("service", "helper", "--root", sbin.toString());
        assertThat(installed.exit()).as(installed.err()).isZero();
        var prepare = "mount -t overlay overlay -o lowerdir=%s/sbin:/usr/sbin /usr/sbin".formatted(sbin);
        assumeTrue(Image.run(PATH, directory, List.of("unshare", "-m", "sh", "-c", prepare)).exit() == 0,
                "needs mount name spaces and overlays");
        Files.writeString(directory.resolve("fstab"),
                "data:/train %s volsh noauto,_netdev,umask=022,home=%s 0 0%n".formatted(mountPoint, home));
        var script = """
                set -e
                %s
                mount -t volsh data %s -o ro,home=%s
                mount | grep -q ' type fuse.volsh (ro,nosuid,nodev,noatime'
                if touch %2$s/x 2>/dev/null; then exit 77; fi
                umount %2$s
                mount -T fstab %2$s
                echo hello >%2$s/f
                stat -c %%a %2$s/f
                umount %2$s
                """.formatted(prepare, mountPoint, home);
        var ran = Image.run(PATH, directory, List.of("unshare", "-m", "sh", "-c", script));
        assertThat(ran.exit()).as(ran.out() + ran.err()).isZero();
        assertThat(ran.out()).isEqualTo("644\n");
        awaitNoMounts();
        assertThat(volsh("cat", "data:/train/f").out()).isEqualTo("hello\n");
    }

    private void awaitNoMounts() {
        Eventually.value("nothing is mounted", () -> volsh("mounts", "list", "-o", "json").out().strip(), "[]"::equals);
    }

    /** The unit's own words, started as systemd does: with a socket to be told on. */
    @Test
    void aServiceManagerHearsWhenTheMountAnswers() throws Exception {
        assertThat(volsh("service", "install", "data", mountPoint.toString(), "--unit-dir",
                directory.resolve("units").toString()).exit()).isZero();
        String unit;
        try (var files = Files.list(directory.resolve("units"))) {
            unit = Files.readString(files.filter(Files::isRegularFile).findFirst().orElseThrow());
        }
        var start = unit.lines().filter(line -> line.startsWith("ExecStart=")).findFirst().orElseThrow()
                .substring("ExecStart=".length());
        assertThat(start).startsWith(Image.built().launcher().toString());
        var listener = new ProcessBuilder("python3", "-c", """
                import socket, sys
                s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.bind(sys.argv[1]); print('listening', flush=True)
                s.settimeout(300); print(s.recv(1000).decode().split()[0], flush=True)
                """, directory.resolve("notify").toString()).redirectErrorStream(true).start();
        var builder = new ProcessBuilder(start.split(" ")).redirectErrorStream(true)
                .redirectOutput(directory.resolve("log").toFile());
        builder.environment().clear();
        builder.environment()
                .putAll(Map.of("VOLSH_HOME", home.toString(), "NOTIFY_SOCKET", directory.resolve("notify").toString()));
        try (var heard = listener.inputReader(StandardCharsets.UTF_8)) {
            assertThat(heard.readLine()).isEqualTo("listening");
            var service = builder.start();
            assertThat(heard.readLine()).as(Files.readString(directory.resolve("log"))).isEqualTo("READY=1");
            Files.writeString(mountPoint.resolve("f"), "hello");
            assertThat(volsh("service", "status", mountPoint.toString(), "--unit-dir",
                    directory.resolve("units").toString(), "-o", "value:state").out())
                    .isEqualTo("ok\n");
            service.destroy();
            assertThat(service.waitFor(120, TimeUnit.SECONDS)).isTrue();
            assertThat(volsh("cat", "data:/f").out()).isEqualTo("hello");
        } finally {
            listener.destroyForcibly();
        }
    }
}
