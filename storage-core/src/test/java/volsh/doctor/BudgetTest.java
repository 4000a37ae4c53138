package volsh.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import volsh.mount.MountStats;

/** Where the time of reads goes, from given numbers. */
final class BudgetTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    /** Programs waited a second for 1 GiB, of which the mount was asked for some, and it took no time. */
    private static List<Budget.Line> stages(long asked) {
        var sample = new ActivitySample(SECOND, 1, 1, Duration.ZERO, 1, asked, Duration.ZERO, SECOND, 0, 0,
                Duration.ZERO, 0, 0, Duration.ZERO, 0, 0, 0, 0, 0, 0, 0, Duration.ZERO, Duration.ZERO, List.of(),
                Optional.empty(), MountStats.Opened.NOTHING, 0);
        return new Budget(new ReadSample(1, Duration.ZERO, 1024, 1L << 30, SECOND, SECOND), sample,
                new Subject("/mnt/a", "a", 1, 1), "/mnt/a").stages();
    }

    @Test
    void whatThePageCacheAnswersIsNoQueueing() {
        assertThat(stages(0)).first().extracting(Budget.Line::name, Budget.Line::part, Budget.Line::gain)
                .containsExactly("page cache", 1.0, "");
        assertThat(stages(1L << 30)).first().extracting(Budget.Line::name, Budget.Line::part)
                .containsExactly("queueing", 1.0);
        assertThat(stages(1L << 30)).hasSize(6).filteredOn(line -> line.name().equals("page cache"))
                .allMatch(line -> line.part() == 0);
    }
}
