package volsh.command.mount;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import volsh.command.tree.Scratch;
import volsh.hang.Eventually;

/**
 * A home that is filled through a mount, by what is kept in the metadata: removing always works, what was removed can
 * be written at once, also after a kill, and nothing that was acknowledged is lost. {@link FullDisksTest} has disks
 * that others fill.
 */
@Timeout(900)
final class FullHomeTest {
    private static final boolean LONG = Boolean.getBoolean("volsh.long");

    @TempDir
    Path directory;

    /** How it is filled. */
    enum Filling {
        FILES("files", "", ""), DIRECTORIES("directories", "", ""), ANOTHER_PROGRAM("files", "", ""), RETENTION("files",
                "--retention 1h", ""), SNAPSHOT("files", "", ""),
        JOURNAL("files", "", "--writeback --volatile --upload-delay 1h");

        private final String kind;
        private final String creating;
        private final String mounting;

        Filling(String kind, String creating, String mounting) {
            this.kind = kind;
            this.creating = creating;
            this.mounting = mounting;
        }
    }

    static Stream<Arguments> homes() {
        return LONG ? Stream.of(Filling.values())
                .flatMap(filling -> Stream.of(Arguments.of(filling, "tmpfs", 40), Arguments.of(filling, "ext4", 40)))
                : Stream.of(Arguments.of(Filling.FILES, "tmpfs", 6));
    }

    @ParameterizedTest
    @MethodSource("homes")
    void aHome(Filling filling, String type, int mebibytes) throws Exception {
        var small = directory.resolve("disk");
        try (var disk = type.equals("ext4") ? SmallDisk.mountExt4(small, mebibytes)
                : SmallDisk.mount(small, mebibytes)) {
            new Home(filling, directory, disk, new Scratch(small.resolve("home"))).run();
        }
    }

    /** From the first mount until the volume is destroyed. */
    private record Home(Filling filling, Path directory, SmallDisk disk, Scratch scratch) {
        void run() throws Exception {
            try (var source = FullHomeTest.class.getResourceAsStream("full_home.py")) {
                Files.copy(source, directory.resolve("full_home.py"));
            }
            scratch.ok("store add s1 file://" + directory.resolve("store"));
            scratch.ok("volume create data --store s1 --block-size 1MiB " + filling.creating);
            try (var served = mount()) {
                filled(served);
                freed(served);
                assertThat(steps(served, "refill")).isEqualTo("fill ENOSPC\n");
                served.child().kill();
                served.child().exitCode();
            }
            scratch.ok("mounts recover");
            disk.free();   // what another program took
            try (var served = mount()) {
                assertThat(steps(served, "check")).isEqualTo("check ok\n");
                assertThat(steps(served, "clear")).isEqualTo("rm -r ok\nrm -r ok\n");
                assertThat(steps(served, "refill")).isEqualTo("fill ENOSPC\n");
                leave();
                served.child().exitCode();
            }
            scratch.ok("rm -r -y data:/refilled");
            scratch.ok("volume gc data --delete --age 0s");
            scratch.ok("volume check data --deep");
            scratch.ok("volume destroy data --confirm data");
            scratch.ok("status");
        }

        private Path point() {
            return directory.resolve("mnt");
        }

        private ServedVolume mount() throws IOException {
            return new ServedVolume(scratch, "data", point(), filling.mounting);
        }

        private String steps(ServedVolume served, String phase) throws Exception {
            var said = served.sh("python3 %s %s %s %s".formatted(directory.resolve("full_home.py"), phase,
                    directory.resolve("ledger.json"), filling.kind));
            assertThat(said.status()).as(said.said()).isZero();
            return said.said();
        }

        private void filled(ServedVolume served) throws Exception {
            steps(served, "before");
            if (filling == Filling.SNAPSHOT) {
                scratch.ok("snapshot create data@first");
            }
            if (filling == Filling.ANOTHER_PROGRAM) {
                served.sh("python3 %s fill %s files 1000".formatted(directory.resolve("full_home.py"),
                        directory.resolve("ledger.json")));
                disk.fill();
            }
            assertThat(steps(served, "fill")).isEqualTo("fill ENOSPC\n");
            assertThat(steps(served, "during")).isEqualTo("read ok\nstatvfs ok\nlist ok\n");
            assertThat(steps(served, "rename")).isIn("rename ok\n", "rename ENOSPC\n");
            served.says("status -o json", 8, "\"full\"", "the disk of the home has no space left");
            scratch.ok("df");
        }

        private void freed(ServedVolume served) throws Exception {
            if (filling == Filling.RETENTION) {   // until no more can be kept
                assertThat(steps(served, "free")).containsPattern("remove (ok|ENOSPC)\n");
                scratch.ok("volume set data retention=0s");
                scratch.ok("volume gc data --delete --age 0s");
            }
            assertThat(steps(served, "free")).endsWith("remove ok\n").doesNotContain("ENOSPC");
            assertThat(steps(served, "again")).isEqualTo("again ok\n");
            if (filling != Filling.RETENTION && filling != Filling.ANOTHER_PROGRAM) {   // which leave nothing
                // the built-in store, which no volume uses, may be full still: the database keeps the space that it has
                Eventually.value("what was full is well",
                        () -> scratch.run("status -o csv --columns kind,health").out(),
                        out -> Stream.of("mount,ok", "volume,ok", "home,ok").allMatch(out::contains));
            }
        }

        /** Bytes for which there is no space are told of, and given up if that is wanted. */
        private void leave() {
            var ended = scratch.run("umount " + point());
            if (ended.status() != 0) {
                assertThat(ended.status()).as(ended.err()).isEqualTo(8);
                assertThat(ended.err()).contains("not enough space on the disk");
                scratch.ok("umount --discard --confirm data " + point());
            }
        }
    }
}
