package volsh.engine.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import volsh.fs.DiskSpace;
import volsh.hang.Eventually;

/** How often the disk of a database is asked for its space, and what follows from that. */
final class SpaceBudgetTest {
    private static final long MIB = 1 << 20;

    @TempDir
    Path directory;
    private final AtomicLong available = new AtomicLong();
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicLong now = new AtomicLong();

    private SpaceBudget budget(long bytes) {
        available.set(bytes);
        var path = directory.resolve("meta.db");
        return new SpaceBudget(new DatabaseFile(path), new SpaceReserve(path), SqliteLimits.standard(), () -> {
            asked.incrementAndGet();
            return new DiskSpace(available.get(), 1024 * MIB);
        }, now::get);
    }

    private static void commit(SpaceBudget budget, int times) {
        for (int i = 0; i < times; i++) {
            budget.lookAgain();
            budget.wrote(16 << 10);
        }
    }

    @Test
    void commitsDoNotAskTheDisk() {
        var budget = budget(900 * MIB);
        asked.set(0);
        commit(budget, 5_000);
        assertThat(asked).as("of 78 MiB that were written, none filled an eighth of the disk").hasValue(0);
        for (int second = 0; second < 10; second++) {
            now.addAndGet(Duration.ofSeconds(1).toNanos() + 1);
            commit(budget, 500);
        }
        assertThat(asked).as("once a second").hasValue(10);
    }

    @Test
    void aFullDiskIsAskedTenTimesASecond() {
        var budget = budget(MIB - 1);
        asked.set(0);
        for (int i = 0; i < 1_000; i++) {
            budget.lookAgain();
            now.addAndGet(Duration.ofMillis(10).toNanos());
        }
        assertThat(asked.get()).isLessThanOrEqualTo(100);
        assertThat(budget.isFull()).isTrue();
        available.set(2 * MIB);
        now.addAndGet(Duration.ofMillis(200).toNanos());
        budget.lookAgain();
        assertThat(budget.isFull()).isFalse();
    }

    /** What was written since the last look may have filled it. */
    @Test
    void theLastMibIsKept() {
        var budget = budget(MIB + 100_000);
        assertThat(budget.isFull()).isFalse();
        budget.wrote(100_001);
        assertThat(budget.isFull()).isTrue();
    }

    /**
     * The limit of the log falls below what is in it: who writes waits for a copy that nobody had a reason to make
     * before.
     */
    @Test
    @Timeout(60)
    void aDiskThatFillsUpHasTheLogCopied() throws Exception {
        var file = new DatabaseFile(directory.resolve("meta.db"));
        SqliteMetaEngine.create(file.path()).close();
        var budget = budget(900 * MIB);
        var reserve = new SpaceReserve(file.path());
        try (var checkpointer = new Checkpointer(file.path(), new SqliteConnections(file.path()).open(100), budget,
                reserve, new EngineHealth(file.path()))) {
            checkpointer.wrote(10 * MIB, 0);
            awaitIdle();
            available.set(2 * MIB);
            budget.lookNow();
            assertThat(budget.logMax()).isLessThan(MIB);
            CompletableFuture.runAsync(checkpointer::awaitRoom).get(20, TimeUnit.SECONDS);
        }
    }

    /** Who copies the log has nothing to do. */
    private static void awaitIdle() {
        Eventually.holds("the checkpointer is idle", () -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals("volsh-meta-checkpointer")
                        && thread.getState() != Thread.State.WAITING));
    }

    @Test
    void theLogIsShortWhereTheDiskIs() {
        assertThat(budget(900 * MIB).logMax()).isEqualTo(64 * MIB);
        assertThat(budget(900 * MIB).logStep()).isEqualTo(16 * MIB);
        assertThat(budget(41 * MIB).logMax()).isEqualTo(5 * MIB);
        assertThat(budget(0).logMax()).isEqualTo(MIB / 2);
    }
}
