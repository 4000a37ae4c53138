package volsh.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class BackgroundRunTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    /** A store that is silent holds up nobody who does not want to wait, and is not asked by each of them. */
    @Test
    void whoAsksWaitsForAsLongAsItCares() throws IOException {
        var answer = new CountDownLatch(1);
        var begun = new AtomicInteger();
        var run = new BackgroundRun("test", () -> {
            begun.incrementAndGet();
            try {
                answer.await();
            } catch (InterruptedException stopped) {
                throw new AssertionError(stopped);
            }
        });
        for (int i = 0; i < 3; i++) {
            run.await(Duration.ofMillis(1));
        }
        assertThat(begun.get()).isLessThanOrEqualTo(1);
        answer.countDown();
        run.await(LONG);
        assertThat(begun.get()).as("what changed since the first began is shipped, too").isEqualTo(2);
        run.await(LONG);
        assertThat(begun.get()).isEqualTo(3);
    }

    @Test
    void aFailureIsTold() {
        var run = new BackgroundRun("test", () -> {
            throw new IOException("gave up");
        });
        assertThatThrownBy(() -> run.await(LONG)).isInstanceOf(IOException.class).hasMessage("gave up");
    }
}
