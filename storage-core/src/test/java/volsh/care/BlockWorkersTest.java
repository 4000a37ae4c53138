package volsh.care;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How many blocks are worked on at once, and by what that is bounded. */
@Timeout(300)
@Tag("volume")
final class BlockWorkersTest {
    private static final long MIB = 1 << 20;

    /** More at once take as long as one does: there is room at the stores. */
    @Test
    void moreAtOnceWhileThatMakesNoneSlower() {
        assertThat(wide().now()).isEqualTo(AdaptiveConcurrency.MOST);
    }

    /** A store that takes one after the other: a few keep it busy, more would only queue. */
    @Test
    void fewAtOnceWhereTheyWaitForEachOther() {
        var width = new AdaptiveConcurrency();
        for (int i = 0; i < 200; i++) {
            width.took(MIB, 10_000_000L * width.now());
        }
        assertThat(width.now()).isBetween(2, 4);
    }

    /** Somebody else is using the stores: everything takes much longer than it could. */
    @Test
    void oneWhenOthersKeepTheStoresBusy() {
        var width = new AdaptiveConcurrency();
        for (int i = 0; i < 100; i++) {
            width.took(MIB, 10_000_000);
            width.took(1000, 1_000_000);   // short ones are compared with short ones
        }
        assertThat(width.now()).isEqualTo(AdaptiveConcurrency.MOST);
        for (int i = 0; i < 100; i++) {
            width.took(MIB, 100_000_000);
        }
        assertThat(width.now()).isLessThanOrEqualTo(2);
    }

    private static AdaptiveConcurrency wide() {
        var width = new AdaptiveConcurrency();
        for (int i = 0; i < 100; i++) {
            width.took(MIB, 10_000_000);
        }
        return width;
    }

    private static final class Gauge {
        private final AtomicInteger now = new AtomicInteger();
        private final AtomicInteger most = new AtomicInteger();

        void work() {
            most.accumulateAndGet(now.incrementAndGet(), Math::max);
            Thread.onSpinWait();
            now.decrementAndGet();
        }
    }

    @Test
    void oneWhileTheApplicationWaits() throws IOException {
        var gauge = new Gauge();
        try (var lanes = new BlockWorkers(() -> true, wide())) {
            for (int i = 0; i < 200; i++) {
                lanes.add(MIB, MIB, gauge::work);
            }
            lanes.finish();
        }
        assertThat(gauge.most.get()).isEqualTo(1);
    }

    @Test
    void memoryIsBounded() throws IOException {
        var gauge = new Gauge();
        try (var lanes = new BlockWorkers(() -> false, wide())) {
            for (int i = 0; i < 200; i++) {
                lanes.add(1, 40 * MIB, gauge::work);
            }
            lanes.add(1, 1000 * MIB, gauge::work);   // alone
            lanes.finish();
        }
        assertThat(gauge.most.get()).isEqualTo(1);
    }

    /** The control: several do run at once. Each waits until there is another. */
    @Test
    void severalAtOnce() throws IOException {
        try (var lanes = new BlockWorkers(() -> false, wide())) {
            var two = new CountDownLatch(2);
            for (int i = 0; i < 2; i++) {
                lanes.add(MIB, MIB, () -> {
                    two.countDown();
                    try {
                        two.await();
                    } catch (InterruptedException stopped) {
                        throw new IOException(stopped);
                    }
                });
            }
            lanes.finish();
        }
    }

    @Test
    void theFirstFailureEndsItAndThoseUnderWayAreFinished() throws Exception {
        var finished = new AtomicBoolean();
        var failed = new CountDownLatch(1);
        try (var lanes = new BlockWorkers(() -> false, wide())) {
            lanes.add(MIB, MIB, () -> {
                try {
                    failed.await();
                } catch (InterruptedException stopped) {
                    throw new IOException(stopped);
                }
                finished.set(true);
            });
            lanes.add(MIB, MIB, () -> {
                throw new IOException("no");
            });
            assertThatThrownBy(() -> {
                while (true) {
                    lanes.add(MIB, MIB, () -> { });
                }
            }).hasMessage("no");
            failed.countDown();
            assertThatThrownBy(lanes::finish).hasMessage("no");
        }
        assertThat(finished).isTrue();
    }
}
