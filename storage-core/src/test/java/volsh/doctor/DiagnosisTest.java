package volsh.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import volsh.block.Counted.Traffic;
import volsh.cache.CacheUsage;
import volsh.cache.disk.CompletedBlocks;
import volsh.cache.disk.DirectoryUsage;
import volsh.doctor.Bottleneck.Culprit;
import volsh.engine.MetaEngine;
import volsh.fuse.OperationStats;
import volsh.journal.StagingStatus;
import volsh.mount.MountStats;
import volsh.system.DiskActivity;
import volsh.system.Pressure;

/**
 * Situations with a known cause, as the accounts of a mount show them; and well ones, in which nothing may be found.
 */
final class DiagnosisTest {
    private static final Duration TIME = Duration.ofSeconds(10);
    private static final long MS = 1_000_000;
    private static final DiskActivity QUIET = new DiskActivity("vda", 10, 1e6, 0.3, 1e5, 1, 1e4, 0.3, 1e4, 0.1, 0.05);

    private static Subject on(int stores, int width) {
        return new Subject("/mnt/a", "a", stores, width);
    }

    /** Reads of this size that all waited for gets of this length, four at a time. */
    private static Accounts reading() {
        return new Accounts();
    }

    /** The account of a mount after ten seconds; before, it had done nothing. */
    private static final class Accounts {
        private long reads = 1_000;
        private long readSize = 1 << 20;
        private long readNanos = 30 * MS;
        private long opens = 100;
        private long fileSize = 10 << 20;
        private long names = 500;
        private long nameNanos = MS / 10;
        private long gets;
        private long getNanos;
        private CacheUsage cache = new CacheUsage(10_000, 10, 0, 0, 200 << 20, 256 << 20, 0);
        private List<DirectoryUsage> directories = List.of();
        private long staged;
        private long written;
        private DiskActivity disk = QUIET;
        private Pressure pressure = new Pressure(0.1, 0.1, 0);

        ActivitySample sample() {
            var rows = List.of(row("read", reads, readNanos), row("lookup", names, nameNanos),
                    row("open", opens, nameNanos), row("flush", opens, 90 * MS));
            var after = new MountStats(reads * readSize, written, MountStats.Buffered.NOTHING, new Traffic(gets,
                    gets << 20, 0, 0, 0, gets * getNanos), MountStats.Repeats.NONE, new CompletedBlocks(0, 0),
                    new StagingStatus(1, staged, Optional.empty(), Optional.empty(), List.of()), Optional.empty(),
                    cache, directories, rows, 0, MetaEngine.Counts.NONE, MountStats.Background.NOTHING,
                    new MountStats.Opened(opens, fileSize * opens), List.of());
            return ActivitySample.between(MountStats.NONE, after, TIME, List.of(disk), Optional.of(pressure));
        }

        private static OperationStats.Row row(String name, long count, long nanos) {
            return new OperationStats.Row(name, count, 0, nanos, nanos, nanos, count * nanos);
        }

        List<Culprit> culprits() {
            return Diagnosis.of(sample(), on(1, 1)).stream().map(Bottleneck::culprit).toList();
        }
    }

    @Test
    void nothingIsFoundWhereAllIsWell() {
        assertThat(reading().culprits()).isEmpty();
    }

    @Test
    void aStoreThatAnswersLate() {
        var slow = reading();
        slow.gets = 250;
        slow.getNanos = 100 * MS;
        slow.cache = new CacheUsage(6_000, 4_000, 0, 0, 100 << 20, 256 << 20, 0);
        assertThat(slow.culprits()).startsWith(Culprit.SLOW_STORE).contains(Culprit.COLD_CACHE);
        assertThat(Diagnosis.of(slow.sample(), on(1, 1)).getFirst().fix()).as("there is nothing to warm")
                .isEqualTo("volsh umount /mnt/a && volsh mount a /mnt/a --cache-dir ./cache");
        slow.directories = List.of(new DirectoryUsage(Path.of("/cache"), true, 0, 4_000, 0, 0, 0, 0, 0, 0, 0, 0));
        assertThat(Diagnosis.of(slow.sample(), on(1, 1)).getFirst().fix()).isEqualTo("volsh cache warm /mnt/a");
        assertThat(Diagnosis.of(slow.sample(), on(4, 1)).getFirst().culprit()).isEqualTo(Culprit.ONE_STRIPE);
        assertThat(Diagnosis.of(slow.sample(), on(4, 1)).getFirst().fix()).contains("volsh stripe set a:/ --count -1");
        assertThat(Diagnosis.of(slow.sample(), on(4, 4)).getFirst().culprit()).isEqualTo(Culprit.SLOW_STORE);
    }

    @Test
    void aColdCacheAndOneThatIsTooSmall() {
        var cold = reading();
        cold.gets = 2_000;
        cold.getNanos = 10 * MS;
        cold.cache = new CacheUsage(1_000, 7_000, 0, 0, 100 << 20, 256 << 20, 0);
        assertThat(cold.culprits()).first().isEqualTo(Culprit.COLD_CACHE);
        cold.cache = new CacheUsage(1_000, 7_000, 0, 6_000, 256 << 20, 256 << 20, 0);
        assertThat(cold.culprits()).first().isEqualTo(Culprit.SMALL_CACHE);
    }

    @Test
    void tinyFilesAndSlowNames() {
        var tiny = reading();
        tiny.reads = 2_000;
        tiny.readSize = 4_000;
        tiny.fileSize = 60_000;   // most of which the kernel has
        tiny.readNanos = MS / 2;
        tiny.opens = 2_000;
        tiny.names = 10_000;
        tiny.nameNanos = MS;
        assertThat(tiny.culprits()).first().isEqualTo(Culprit.TINY_FILES);
        tiny.nameNanos = 5 * MS;
        assertThat(tiny.culprits()).first().isEqualTo(Culprit.SLOW_METADATA);
    }

    @Test
    void tinyReads() {
        var tiny = reading();
        tiny.reads = 100_000;
        tiny.readSize = 4_096;
        tiny.readNanos = MS / 10;
        tiny.opens = 1;
        tiny.names = 10;
        assertThat(tiny.culprits()).first().isEqualTo(Culprit.TINY_READS);
    }

    @Test
    void aBusyDisk() {
        var busy = reading();
        busy.disk = new DiskActivity("nvme0n1", 3_000, 3_000 * 4096.0, 15, 4096, 0, 0, 0, 0, 60, 1);
        assertThat(busy.culprits()).first().isEqualTo(Culprit.BUSY_DISK);
        assertThat(Diagnosis.of(busy.sample(), on(1, 1)).getFirst().evidence()).contains("nvme0n1", "100%");
    }

    @Test
    void tooFewWorkers() {
        var few = reading();
        few.reads = 100;
        few.readNanos = 2 * MS;
        assertThat(few.culprits()).first().isEqualTo(Culprit.FEW_WORKERS);
    }

    @Test
    void aBacklogShortMemoryAndNothingAtAll() {
        var writing = reading();
        writing.written = 1L << 30;
        writing.staged = 900L << 20;
        assertThat(writing.culprits()).contains(Culprit.BACKLOG);
        var tight = reading();
        tight.pressure = new Pressure(0.9, 0, 0.5);
        assertThat(tight.culprits()).startsWith(Culprit.SHORT_MEMORY).contains(Culprit.BUSY_CPU);
        var idle = reading();
        idle.reads = 0;
        idle.opens = 0;
        idle.names = 3;
        assertThat(idle.culprits()).containsExactly(Culprit.IDLE);
    }
}
