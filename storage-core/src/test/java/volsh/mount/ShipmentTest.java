package volsh.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class ShipmentTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    /** A store that is silent holds up nobody who does not want to wait, and is not asked by each of them. */
    @Test
    void whoAsksWaitsForAsLongAsItCares() throws IOException {
        var answer = new CountDownLatch(1);
        var begun = new AtomicInteger();
        var shipment = new Shipment(() -> {
            begun.incrementAndGet();
            try {
                answer.await();
            } catch (InterruptedException stopped) {
                throw new AssertionError(stopped);
            }
        });
        for (int i = 0; i < 3; i++) {
            shipment.await(Duration.ofMillis(1));
        }
        assertThat(begun.get()).isLessThanOrEqualTo(1);
        answer.countDown();
        shipment.await(LONG);
        assertThat(begun.get()).as("what changed since the first began is shipped, too").isEqualTo(2);
        shipment.await(LONG);
        assertThat(begun.get()).isEqualTo(3);
    }

    @Test
    void aFailureIsTold() {
        var shipment = new Shipment(() -> {
            throw new IOException("gave up");
        });
        assertThatThrownBy(() -> shipment.await(LONG)).isInstanceOf(IOException.class).hasMessage("gave up");
    }
}
