package volsh.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import volsh.command.failure.CancelledException;

final class CancellationTest {
    private final Cancellation cancellation = new Cancellation();

    @Test
    void theWishComesOnceAndStays() {
        var told = new AtomicInteger();
        cancellation.check();
        try (var _ = cancellation.onRequest(told::incrementAndGet)) {
            cancellation.request();
            cancellation.request();
        }
        assertThat(told).hasValue(1);
        assertThat(cancellation.requested()).isTrue();
        assertThatThrownBy(cancellation::check).isInstanceOf(CancelledException.class);
        cancellation.onRequest(told::incrementAndGet).close();
        assertThat(told).hasValue(2);
    }

    @Test
    void closedListenersAreNotTold() {
        var told = new AtomicInteger();
        cancellation.onRequest(told::incrementAndGet).close();
        cancellation.request();
        assertThat(told).hasValue(0);
    }

    @Test
    void aWaitEndsAndCleaningUpIsNotDisturbed() throws InterruptedException {
        var waiting = new CountDownLatch(1);
        var endings = new ArrayList<String>();
        Thread worker = Thread.ofPlatform().start(() -> {
            try (var _ = cancellation.interrupting()) {
                waiting.countDown();
                new CountDownLatch(1).await();
            } catch (InterruptedException ended) {
                endings.add("ended");
            }
            endings.add(Thread.currentThread().isInterrupted() ? "disturbed" : "clean");
        });
        waiting.await();
        cancellation.request();
        worker.join();
        assertThat(endings).containsExactly("ended", "clean");
    }

    @Test
    void servicesAreMadeOnceWhenAskedForAndAllClosed() throws Exception {
        var log = new ArrayList<String>();
        record Part(String name, List<String> log) implements AutoCloseable {
            @Override
            public void close() throws IOException {
                log.add("close " + name);
                throw new IOException(name);
            }
        }
        var services = new Services().with(Part.class, () -> {
            log.add("make");
            return new Part("a", log);
        }).with(AutoCloseable.class, () -> new Part("b", log));
        assertThat(log).isEmpty();
        assertThat(services.of(Part.class)).isSameAs(services.of(Part.class));
        services.of(AutoCloseable.class);
        assertThatThrownBy(services::close).hasRootCauseMessage("b");
        assertThat(log).containsExactly("make", "close b", "close a");
        assertThatThrownBy(() -> services.of(String.class)).hasMessage("the application provides no String");
    }
}
