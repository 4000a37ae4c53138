package volsh.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.system.DiskActivity.Verdict;
import volsh.unit.ByteSize;

/** What the kernel tells, read from texts as it writes them. */
final class SystemTest {
    private static final String MEMINFO = """
            MemTotal:       24576000 kB
            MemFree:        20000000 kB
            MemAvailable:   22000000 kB
            Cached:          1000000 kB
            Dirty:              2048 kB
            Writeback:           512 kB
            HugePages_Total:       0
            """;

    @TempDir
    Path proc;

    @Test
    void memory() {
        var memory = MemoryInfo.parse(MEMINFO);
        assertThat(memory.dirty()).isEqualTo(ByteSize.of("2MiB"));
        assertThat(memory.atRisk().bytes()).isEqualTo((2048 + 512) * 1024);
        assertThatThrownBy(() -> MemoryInfo.parse("MemTotal: 1 kB\n"))
                .hasMessageContaining("does not contain MemAvailable");
    }

    /** The columns of {@code iostat -x} from two readings two seconds apart, by hand. */
    @Test
    void disks() {
        var before = DiskCounters.parse("""
                   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
                 254       0 vda 1000 10 80000 500 2000 20 160000 1000 0 3000 1500 0 0 0 0 7 8
                """);
        var after = DiskCounters.parse(
                "   254       0 vda 1100 10 131200 1500 2050 25 160400 1100 0 4000 2600 0 0 0 0 7 8\n");
        assertThat(before).containsOnlyKeys("vda");
        var disk = DiskActivity.between(before, after, Duration.ofSeconds(2)).getFirst();
        assertThat(disk.readsPerSecond()).isEqualTo(50);
        assertThat(disk.readBytesPerSecond()).isEqualTo(51200 * 512 / 2.0);
        assertThat(disk.readAwaitMillis()).isEqualTo(10);
        assertThat(disk.readRequestBytes()).isEqualTo(51200 * 512 / 100.0);
        assertThat(disk.writesPerSecond()).isEqualTo(25);
        assertThat(disk.writeAwaitMillis()).isEqualTo(2);
        assertThat(disk.queue()).isCloseTo(0.55, within(1e-9));
        assertThat(disk.busy()).isEqualTo(0.5);
        assertThat(disk.verdict()).isEqualTo(Verdict.SLOW);
    }

    @Test
    void verdicts() {
        assertThat(disk(0, 0, 0, 0, 0, 0).verdict()).isEqualTo(Verdict.IDLE);
        assertThat(disk(5000, 4096, 1, 0, 0, 0.95).verdict()).isEqualTo(Verdict.SMALL_READS);
        assertThat(disk(5000, 4096, 1, 0, 0, 0.5).verdict()).isEqualTo(Verdict.SMALL_BUT_FAST);
        assertThat(disk(500, 1 << 20, 20, 0, 0, 1).verdict()).isEqualTo(Verdict.SATURATED);
        assertThat(disk(500, 1 << 20, 2, 0, 0, 1).verdict()).isEqualTo(Verdict.BUSY);
        assertThat(disk(500, 1 << 20, 2, 0, 0, 0.3).verdict()).isEqualTo(Verdict.SEQUENTIAL);
        assertThat(disk(0, 0, 0, 500, 1 << 20, 0.9).verdict()).isEqualTo(Verdict.WRITES);
        assertThat(disk(10, 100_000, 1, 0, 0, 0.1).verdict()).isEqualTo(Verdict.WELL);
    }

    private static DiskActivity disk(double reads, double readSize, double await, double writes, double writeSize,
            double busy) {
        return new DiskActivity("vda", reads, reads * readSize, await, readSize, writes, writes * writeSize, 1,
                writeSize, 1, busy);
    }

    @Test
    void pressure() throws IOException {
        assertThat(Pressure.read(proc)).isEmpty();
        assertThat(Pressure.parse("some avg10=12.50 avg60=1.00 avg300=0.10 total=5\nfull avg10=1.00 avg60=0 avg300=0 "
                + "total=1\n")).isEqualTo(0.125);
    }

    @Test
    void limitsOfDirtyPages() throws IOException {
        settings(0, 10, 0, 20);
        var before = DirtyLimits.Settings.read(proc);
        var now = DirtyLimits.read(proc);
        assertThat(now.blocking().bytes()).isEqualTo(22000000L * 1024 / 5);
        var small = DirtyLimits.forCheckpoint(ByteSize.of("10GB"), MemoryInfo.read(proc));
        assertThat(small.stalled(ByteSize.of("10GB")).bytes()).isZero();
        assertThat(small.background()).isLessThan(small.blocking());
        var large = DirtyLimits.forCheckpoint(ByteSize.of("130GB"), MemoryInfo.read(proc));
        assertThat(large.blocking().bytes()).isEqualTo((long) (22000000L * 1024 * 0.6));
        large.apply(proc);
        assertThat(DirtyLimits.read(proc)).isEqualTo(large);
        settings(0, 10, 0, 20);
        before.restore(proc);
        assertThat(DirtyLimits.Settings.read(proc)).isEqualTo(before);
    }

    /** Bytes for one and a percentage for the other; a percentage of 0 is one, too. */
    @Test
    void limitsOfTwoKinds() throws IOException {
        settings(0, 5, 4096 * 100, 0);
        assertThat(DirtyLimits.read(proc))
                .isEqualTo(new DirtyLimits(new ByteSize(22000000L * 1024 / 20), new ByteSize(409600)));
        for (var settings : List.of(settings(0, 5, 409600, 0), settings(8192, 0, 0, 20), settings(0, 0, 0, 20),
                settings(1 << 20, 0, 2 << 20, 0))) {
            assertThat(DirtyLimits.Settings.parse(settings.toString())).isEqualTo(settings);
        }
        assertThatThrownBy(() -> DirtyLimits.Settings.parse("vm.dirty_ratio=20")).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> DirtyLimits.Settings.parse("x")).isInstanceOf(IOException.class);
    }

    private DirtyLimits.Settings settings(long backgroundBytes, long backgroundRatio, long bytes, long ratio)
            throws IOException {
        Files.writeString(proc.resolve("meminfo"), MEMINFO);
        var vm = Files.createDirectories(proc.resolve("sys/vm"));
        Files.writeString(vm.resolve("dirty_bytes"), bytes + "\n");
        Files.writeString(vm.resolve("dirty_background_bytes"), backgroundBytes + "\n");
        Files.writeString(vm.resolve("dirty_ratio"), ratio + "\n");
        Files.writeString(vm.resolve("dirty_background_ratio"), backgroundRatio + "\n");
        return DirtyLimits.Settings.read(proc);
    }

    /** What a killed process left is known to others, and put back by the next one that takes the limits. */
    @Test
    void whatAKilledProcessLeft() throws Exception {
        var before = settings(8192, 0, 409600, 0);
        var record = proc.resolve("record");
        var process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"), Killed.class.getName(),
                proc.toString(), record.toString()).redirectErrorStream(true).start();
        try (var out = process.inputReader()) {
            assertThat(out.readLine()).isEqualTo("applied");
            assertThat(HeldLimits.leftBehind(record)).as("it lives").isEmpty();
            assertThatThrownBy(() -> HeldLimits.take(proc, record)).isInstanceOf(HeldLimits.BusyException.class);
        } finally {
            process.destroyForcibly().waitFor();
        }
        assertThat(DirtyLimits.Settings.read(proc)).isNotEqualTo(before);
        assertThat(HeldLimits.leftBehind(record)).contains(before);
        try (var held = HeldLimits.take(proc, record)) {
            assertThat(held.left()).contains(before);
            assertThat(DirtyLimits.Settings.read(proc)).isEqualTo(before);
            held.apply(new DirtyLimits(new ByteSize(1 << 20), new ByteSize(2 << 20)));
            assertThat(HeldLimits.leftBehind(record)).isEmpty();
            assertThat(DirtyLimits.Settings.read(proc)).isNotEqualTo(before);
        }
        assertThat(DirtyLimits.Settings.read(proc)).isEqualTo(before);
        assertThat(HeldLimits.leftBehind(record)).isEmpty();
    }

    /** Changes limits, says so, and waits to be killed. */
    static final class Killed {
        private Killed() {}

        public static void main(String[] arguments) throws Exception {
            HeldLimits.take(Path.of(arguments[0]), Path.of(arguments[1]))
                    .apply(new DirtyLimits(new ByteSize(3 << 20), new ByteSize(4 << 20)));
            System.out.println("applied");
            Thread.sleep(Long.MAX_VALUE);
        }
    }

    /** A file just written is in memory; one that was never there is not, and asking does not bring it. */
    @Test
    void pagesInMemory() throws IOException {
        var whole = new Residency(new ByteSize(100_000), new ByteSize(100_000));
        var found = Residency.of(Files.write(proc.resolve("written"), new byte[100_000]));
        for (int i = 0; i < 10 && !found.equals(whole); i++) {   // somebody may empty the kernel's caches just then
            found = Residency.of(Files.write(proc.resolve("written" + i), new byte[100_000]));
        }
        assertThat(found).isEqualTo(whole);
        var sparse = proc.resolve("sparse");
        try (var file = new java.io.RandomAccessFile(sparse.toFile(), "rw")) {
            file.setLength(1 << 20);
        }
        assertThat(Residency.of(sparse).resident().bytes()).isZero();
        assertThat(Residency.of(sparse).resident().bytes()).isZero();
        assertThat(Residency.of(Files.createFile(proc.resolve("empty"))).size().bytes()).isZero();
    }

    @Test
    void fileSystems() throws IOException {
        assertThat(FileSystem.of(Path.of("/proc/self/status")).type()).isEqualTo("proc");
        assertThat(FileSystem.of(proc).path()).isEqualTo(proc.toRealPath());
        assertThat(new FileSystem(proc, proc, "nfs4", "x").kind()).isEqualTo(FileSystem.Kind.NETWORK);
        assertThat(new FileSystem(proc, proc, "fuse.rclone", "x").kind()).isEqualTo(FileSystem.Kind.NETWORK);
        assertThat(new FileSystem(proc, proc, "fuse.volsh", "x").kind()).isEqualTo(FileSystem.Kind.VOLSH);
    }
}
