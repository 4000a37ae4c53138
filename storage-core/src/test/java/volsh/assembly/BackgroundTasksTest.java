package volsh.assembly;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import volsh.assembly.BackgroundTasks.Task;
import volsh.vfs.ManualClock;

@Tag("volume")
final class BackgroundTasksTest {
    private final ManualClock clock = new ManualClock();
    private final BackgroundTasks tasks = new BackgroundTasks("data", clock);
    private final Logger logger = Logger.getLogger("volsh.volume");
    private final List<LogRecord> logged = new ArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord record) {
            if (record.getLevel().intValue() >= Level.INFO.intValue() && record.getMessage().contains("'data'")) {
                logged.add(record);
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void listen() {
        logger.addHandler(handler);
    }

    @AfterEach
    void listenNoMore() {
        logger.removeHandler(handler);
    }

    private void fail(String reason) {
        tasks.run(Task.RECLAIM, () -> {
            throw new IOException(reason);
        });
    }

    @Test
    void oneFailureIsNoTrouble() {
        fail("away");
        tasks.run(Task.RECLAIM, () -> {});
        fail("away");
        assertThat(tasks.failing()).isEmpty();
        assertThat(logged).isEmpty();
    }

    @Test
    void whatFailsRepeatedlyIsToldOnceAndWhenItIsOver() {
        var begun = clock.instant();
        for (int i = 0; i < 10; i++) {
            fail("away");
            clock.advance(Duration.ofSeconds(20));
        }
        assertThat(tasks.failing()).singleElement().satisfies(failing -> {
            assertThat(failing.times()).isEqualTo(10);
            assertThat(failing.since()).isEqualTo(begun);
            assertThat(failing.reason()).isEqualTo("away");
            assertThat(failing.next()).isEqualTo("volsh volume gc data");
        });
        assertThat(logged).singleElement().satisfies(line -> {
            assertThat(line.getThrown()).isNull();
            assertThat(line.getMessage()).contains("reclaiming deleted blocks", "away");
        });
        fail("full");
        assertThat(logged).as("another reason").hasSize(2);
        tasks.run(Task.RECLAIM, () -> {});
        assertThat(tasks.failing()).isEmpty();
        assertThat(logged).hasSize(3);
        assertThat(logged.getLast().getMessage()).contains("works again");
    }

    @Test
    void anInternalErrorCountsAsWell() {
        for (int i = 0; i < 2; i++) {
            tasks.run(Task.HEAL, () -> {
                throw new IllegalStateException();
            });
        }
        assertThat(tasks.failing()).singleElement()
                .satisfies(failing -> assertThat(failing.reason()).isEqualTo("IllegalStateException"));
    }
}
