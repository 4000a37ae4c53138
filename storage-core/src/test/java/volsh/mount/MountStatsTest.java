package volsh.mount;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import volsh.assembly.BackgroundTasks;
import volsh.block.Counted;
import volsh.block.Counted.Traffic;
import volsh.cache.CacheUsage;
import volsh.cache.disk.CompletedBlocks;
import volsh.cache.disk.DirectoryUsage;
import volsh.engine.MetaEngine;
import volsh.fuse.OperationStats;
import volsh.inventory.Strays;
import volsh.journal.StagingStatus;
import volsh.unit.LatencyHistogram;
import volsh.warm.WholeFiles;

final class MountStatsTest {
    private static final StagingStatus STAGED = new StagingStatus(
            4, 5, Optional.of(Instant.ofEpochMilli(6)), Optional.of(new StagingStatus.Trouble("the store is away",
                    true)), List.of(Path.of("/a b/1.journal"), Path.of("/2.journal")));

    @Test
    void arrivesAsItWasSent() {
        var sent = new MountStats(1, 2, new MountStats.Buffered(3, Optional.of(Instant.ofEpochMilli(56))), new Traffic(
                21, 22, 23, 24, 25, 33), new MountStats.Repeats(26, 27, 28), new CompletedBlocks(29, 30), STAGED,
                Optional.of(new MountStats.Unshipped(7, 8, Optional.of(Instant.ofEpochMilli(9)))), new CacheUsage(4, 5,
                6, 7, 8, 9, 10, 37, 38),
                List.of(new DirectoryUsage(Path.of("/a b/c"), true, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
                new DirectoryUsage(Path.of("/d"), false, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20)),
                List.of(new OperationStats.Row("read", 11, 12, 13, 14, 15, 31),
                new OperationStats.Row("write", 16, 17, 18, 19, 20, 32)), 34, new MetaEngine.Counts(35, 36),
                new MountStats.Background(new Strays.Waiting(37, 38, Optional.of(Instant.ofEpochMilli(39)), true, 0),
                List.of(new BackgroundTasks.Failing(BackgroundTasks.Task.RECLAIM, Instant.ofEpochMilli(40),
                41, "no answer: 100% lost", "volsh volume gc a"))), new MountStats.Opened(42, 43),
                List.of(new Counted.Latency("get", 44, new LatencyHistogram.Summary(45, 46, 47, 48, 49)),
                new Counted.Latency("put", 50, new LatencyHistogram.Summary(51, 52, 53, 54, 55))),
                new WholeFiles.Usage(56, 57, 58, 59, 60, 61, 62, 63, 64));
        assertThat(MountStats.parse(sent.lines())).isEqualTo(sent);
        assertThat(MountStats.parse(MountStats.NONE.lines())).isEqualTo(MountStats.NONE);
    }
}
