package volsh.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import volsh.checkpoint.Saver.Answer;
import volsh.hang.Eventually;

/** What a job that saves in the background may rely on: bounded, never stalled, nothing lost without a word. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class SaverTest {
    private static final Duration LONG = Duration.ofSeconds(250);

    private final List<Long> saved = Collections.synchronizedList(new ArrayList<>());

    private Saver.Work work(long step) {
        return () -> {
            saved.add(step);
            return new Checkpoint("r", step, Optional.empty(), "", false, true);
        };
    }

    private Saver.Work held(long step, CountDownLatch begun, CountDownLatch gate) {
        return () -> {
            begun.countDown();
            try {
                gate.await();
            } catch (InterruptedException stop) {
                throw new IOException(stop);
            }
            return work(step).run();
        };
    }

    /** Asking first takes no place, and what was never saved is not counted as saved. */
    @Test
    void whetherOneWouldBeSkippedIsKnownBeforeItIsCopied() throws Exception {
        var gate = new CountDownLatch(1);
        var begun = new CountDownLatch(1);
        try (var saver = new Saver(2, Saver.After.NOTHING)) {
            saver.offer(1, held(1, begun, gate));
            begun.await();
            saver.offer(2, work(2));
            assertThat(saver.skips()).as("one more may wait").isFalse();
            assertThat(saver.status().waiting()).isEqualTo(1);
            saver.offer(3, work(3));
            assertThat(saver.skips()).isTrue();
            gate.countDown();
            var end = saver.await(LONG);
            assertThat(saved).containsExactly(1L, 2L, 3L);
            assertThat(end.saved()).isEqualTo(3);
            assertThat(end.skipped()).isEqualTo(1);
        }
    }

    @Test
    void whoeverComesTooSoonIsSkippedAndCounted() throws Exception {
        var gate = new CountDownLatch(1);
        var begun = new CountDownLatch(1);
        try (var saver = new Saver(1, Saver.After.NOTHING)) {
            assertThat(saver.offer(1, held(1, begun, gate))).isEqualTo(Answer.QUEUED);
            begun.await();
            assertThat(saver.offer(2, work(2))).as("may wait").isEqualTo(Answer.QUEUED);
            assertThat(saver.offer(3, work(3))).isEqualTo(Answer.SKIPPED);
            assertThat(saver.offer(4, work(4))).isEqualTo(Answer.SKIPPED);
            assertThat(saver.status().running()).hasValue(1);
            assertThat(saver.await(Duration.ofMillis(20)).idle()).as("the time is over").isFalse();
            gate.countDown();
            var end = saver.await(LONG);
            assertThat(end.idle()).isTrue();
            assertThat(end.saved()).isEqualTo(2);
            assertThat(end.skipped()).isEqualTo(2);
            assertThat(end.last()).hasValue(2);
        }
        assertThat(saved).containsExactly(1L, 2L);
    }

    @Test
    void whatFailedIsToldOnceAndTheNextIsSaved() throws Exception {
        var saver = new Saver(2, Saver.After.NOTHING);
        saver.offer(1, () -> {
            throw new IOException("the store is full");
        });
        assertThatThrownBy(() -> saver.await(LONG)).isInstanceOf(IOException.class)
                .hasMessage("step 1: the store is full");
        assertThat(saver.await(LONG).failed()).isEqualTo(1);
        saver.offer(2, () -> {
            throw new IllegalStateException("a mistake");
        });
        Eventually.holds("it is idle", () -> saver.status().idle());
        assertThat(saver.status().untold()).isEqualTo(1);
        assertThat(saver.skips()).isFalse();
        assertThat(saver.offer(3, work(3))).as("the one after it").isEqualTo(Answer.QUEUED);
        assertThatThrownBy(() -> saver.await(LONG)).as("who waits is told").hasMessageContaining("step 2");
        assertThat(saver.await(LONG).untold()).isZero();
        assertThat(saver.offer(4, work(4))).isEqualTo(Answer.QUEUED);
        saver.close();
        assertThat(saved).containsExactly(3L, 4L);
        assertThat(saver.status().errors()).hasSize(2);
        assertThatThrownBy(() -> saver.offer(5, work(5))).hasMessageContaining("ended");
    }

    @Test
    void endingFinishesWhatWaitsAndTells() throws Exception {
        var gate = new CountDownLatch(1);
        var begun = new CountDownLatch(1);
        var thinned = new ArrayList<Long>();
        var saver = new Saver(3, checkpoint -> thinned.add(checkpoint.step()));
        saver.offer(1, held(1, begun, gate));
        begun.await();
        saver.offer(2, work(2));
        saver.offer(3, () -> {
            throw new IOException("no");
        });
        Thread.ofPlatform().start(gate::countDown);
        assertThatThrownBy(saver::close).hasMessage("step 3: no");
        assertThat(saved).containsExactly(1L, 2L);
        assertThat(thinned).containsExactly(1L, 2L);
    }
}
