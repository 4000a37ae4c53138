package volsh.hang;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class EventuallyTest {
    private final AtomicInteger asked = new AtomicInteger();

    @Test
    void itEndsWithTheFirstValueThatIsWanted() throws Exception {
        assertThat(Eventually.value("five", asked::incrementAndGet, value -> value == 5)).isEqualTo(5);
        Eventually.holds("seven", () -> asked.incrementAndGet() == 7);
        Eventually.passes("nine", () -> assertThat(asked.incrementAndGet()).isEqualTo(9));
        assertThat(asked).hasValue(9);
        var opened = new CountDownLatch(1);
        var work = CompletableFuture.supplyAsync(() -> {
            opened.countDown();
            return "done";
        }, CompletableFuture.delayedExecutor(20, TimeUnit.MILLISECONDS));
        Eventually.open("it is open", opened);
        assertThat(Eventually.result("it is done", work)).isEqualTo("done");
        Eventually.holdsDuring(work, "what holds though the work is over", () -> true);
    }

    @Test
    void aFailureSaysWhatForHowLongAndWhatWasSeenLast() {
        assertThatThrownBy(() -> Eventually.value(Duration.ofMillis(30), "the moon is blue", asked::incrementAndGet,
                value -> false))
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("waited 0 s in vain until the moon is blue; asked ")
                .hasMessageEndingWith(" times, last seen: " + asked);
        assertThat(asked.get()).as("also on a machine that stands still").isGreaterThanOrEqualTo(10);
    }

    @Test
    void itEndsAtOnceIfThereIsNothingToWaitFor() {
        var failed = CompletableFuture.failedFuture(new IOException("away"));
        assertThatThrownBy(() -> Eventually.holds("it is asked", () -> {
            throw new IOException("away");
        })).isInstanceOf(AssertionError.class).hasMessageContaining("it is asked")
                .hasCauseInstanceOf(IOException.class);
        assertThatThrownBy(() -> Eventually.holds("an assertion fails", () -> {
            throw new AssertionError("no");
        })).hasMessage("no");
        assertThatThrownBy(() -> Eventually.holdsDuring(failed, "it is there", () -> false))
                .hasMessageContaining("ended before it is there")
                .hasMessageContaining("away");
        assertThatThrownBy(() -> Eventually.result("the answer", failed)).hasMessage("the answer failed")
                .hasCauseInstanceOf(IOException.class);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> Eventually.holds("never", () -> false)).hasCauseInstanceOf(InterruptedException.class);
        Eventually.holds("always", () -> true);
    }
}
