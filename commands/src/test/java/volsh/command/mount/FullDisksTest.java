package volsh.command.mount;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;

/**
 * Real small file systems that are full: the home with its metadata, the store, the journal, the cache. Programs hear ENOSPC and nothing else, freeing space is always
 * possible, and what was acknowledged is there afterwards.
 */
@Timeout(150)
final class FullDisksTest {
    @TempDir
    Path directory;
    private Path point;

    @BeforeEach
    void point() {
        point = directory.resolve("mnt");
    }

    /** Makes names until the disk is full, says how the last one ended. */
    private static final String MAKE_MANY = "i=0; while [ $i -lt 20000 ]; do mkdir d$i 2>err.$$ || { cat err.$$; rm -f err.$$; exit 0; }; i=$((i+1)); done; echo never";

    @Test
    void aFullHomeIsNoSpaceAndRemovingAlwaysWorks() throws Exception {
        try (var disk = SmallDisk.mount(directory.resolve("disk"), 6)) {
            var scratch = new Scratch(disk.directory().resolve("home"));
            scratch.ok("store add s1 file://" + directory.resolve("store"));
            scratch.ok("volume create data --store s1");
            try (var served = new ServedVolume(scratch, "data", point, "")) {
                assertThat(served.sh("mkdir kept d0 && echo kept >kept/f && sync kept/f").said()).isEmpty();
                disk.fill();
                var python = """
                        import os, errno
                        def what(name, call):
                            try:
                                call(); print(name, 'ok')
                            except OSError as e:
                                print(name, errno.errorcode[e.errno])
                        def many(kind):
                            for i in range(20000): kind(i)
                        def write(i):
                            with open('w%d' % i, 'w') as f:
                                f.write('x' * 3000); f.flush(); os.fsync(f.fileno())
                        what('mkdir', lambda: many(lambda i: os.mkdir('d%d' % (i + 1))))
                        what('write', lambda: many(write))
                        what('unlink', lambda: os.unlink('kept/f'))
                        what('rmdir', lambda: os.rmdir('d0'))
                        left = [n for n in os.listdir('.') if n[0] in 'dw']
                        what('all', lambda: [os.rmdir(n) if n[0] == 'd' else os.unlink(n) for n in left])
                        print(sorted(os.listdir('.')))
                        """;
                Files.writeString(directory.resolve("full.py"), python);
                assertThat(served.sh("python3 " + directory.resolve("full.py")).said().lines().toList())
                        .containsExactly("mkdir ENOSPC", "write ENOSPC", "unlink ok", "rmdir ok", "all ok", "['kept']");
                disk.free();
                assertThat(served.sh("echo again >kept/g && sync kept/g").said()).isEmpty();
                scratch.ok("umount " + point);
                assertThat(served.child().exitCode()).isZero();
            }
            assertThat(scratch.ok("ls data:/kept").out()).contains("g");
            scratch.ok("volume check data");
        }
    }

    @Test
    void aFullHomeCanBeUnmountedAndMountedAgain() throws Exception {
        try (var disk = SmallDisk.mount(directory.resolve("disk"), 6)) {
            var scratch = new Scratch(disk.directory().resolve("home"));
            scratch.ok("store add s1 file://" + directory.resolve("store"));
            scratch.ok("volume create data --store s1");
            try (var served = new ServedVolume(scratch, "data", point, "")) {
                assertThat(served.sh("echo kept >f && sync f").said()).isEmpty();
                disk.fill();
                assertThat(served.sh(MAKE_MANY).said()).contains("No space left");
                scratch.ok("umount " + point);
                assertThat(served.child().exitCode()).isZero();
            }
            assertThat(scratch.ok("cat data:/f").out()).as("what was acknowledged").isEqualTo("kept\n");
            disk.free();
            try (var served = new ServedVolume(scratch, "data", point, "")) {
                assertThat(served.sh("cat f && mkdir more").said()).isEqualTo("kept\n");
                scratch.ok("umount " + point);
            }
        }
    }

    @Test
    void aFullJournalIsSlowerAndAsSafe() throws Exception {
        try (var disk = SmallDisk.mount(directory.resolve("disk"), 4)) {
            var scratch = new Scratch(directory.resolve("home"));
            scratch.ok("store add s1 file://" + directory.resolve("store"));
            scratch.ok("volume create data --store s1 --block-size 1MiB");
            try (var served = new ServedVolume(scratch, "data", point, "--writeback --volatile --upload-delay 1h --journal-dir " + disk.directory().resolve("journal"))) {
                assertThat(served.write("before", 1).said()).isEmpty();
                disk.fill();
                assertThat(served.write("during", 6).said()).as("goes to the store").isEmpty();
                disk.free();
                assertThat(served.write("after", 1).said()).isEmpty();
                assertThat(served.sh("mv during moved && rm before && md5sum moved after >sums && md5sum -c --quiet sums").said()).isEmpty();
                served.says("mounts show %s -o value:state".formatted(point), 0, "ok");
                scratch.ok("umount " + point);
            }
            assertThat(scratch.ok("stat data:/moved -o value:size").out().trim()).isEqualTo(Integer.toString(6 << 20));
        }
    }

    @Test
    void aFullCacheDiskHindersNobody() throws Exception {
        try (var disk = SmallDisk.mount(directory.resolve("disk"), 4)) {
            var scratch = new Scratch(directory.resolve("home"));
            scratch.ok("store add s1 file://" + directory.resolve("store"));
            scratch.ok("volume create data --store s1 --block-size 1MiB");
            try (var served = new ServedVolume(scratch, "data", point, "--cache-dir " + disk.directory().resolve("cache"))) {
                disk.fill();
                assertThat(served.write("f", 6).said()).isEmpty();
                assertThat(served.sh("md5sum f >sums && md5sum -c --quiet sums && mv f g && rm g").said()).isEmpty();
                served.says("mounts show %s -o value:state".formatted(point), 0, "ok");
                scratch.ok("umount " + point);
            }
        }
    }
}
