package volsh.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.checkpoint.StrategyBench.Strategy;
import volsh.checkpoint.StrategyBench.Terms;
import volsh.transfer.Observer;

final class StrategyBenchTest {
    @TempDir
    Path directory;

    /** A job waits until the checkpoint is durable, or, with a copy on the local disk, does not and risks it. */
    @Test
    void whatIsWaitedForIsNotAtRisk() throws Exception {
        var results = new StrategyBench(new Terms(directory, 300_000, "", "latency=2ms", 2, Observer.NONE))
                .run(List.of(Strategy.values()));
        assertThat(results).extracting(StrategyBench.Result::strategy).containsExactly(Strategy.values());
        for (var one : results) {
            boolean waits = one.strategy() != Strategy.LOCAL_ASYNC;
            assertThat(one.exposed().equals(Duration.ZERO)).as(one.toString()).isEqualTo(waits);
            assertThat(one.atRisk()).isEqualTo(waits ? 0 : 300_000);
        }
        assertThat(directory).as("nothing is left").isEmptyDirectory();
    }
}
