package volsh.block.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import volsh.disk.Disk;
import volsh.hang.Eventually;

final class SharedSyncTest {
    private static final Path DIRECTORY = Path.of("/d");

    private final AtomicInteger begun = new AtomicInteger();
    private final Semaphore mayEnd = new Semaphore(0);
    private volatile boolean broken;

    @Test
    void newcomersShareTheNextSync() throws Exception {
        var shared = new SharedSync(disk(this::sync));
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var first = threads.submit(call(shared));
            Eventually.value("sync 1 has begun", begun::get, count -> count == 1);
            List<Future<Void>> others = tenMore(threads, shared);
            assertThat(others).noneMatch(Future::isDone);
            mayEnd.release();
            first.get();
            Eventually.value("sync 2 has begun", begun::get, count -> count == 2);
            assertThat(others).as("the sync that ran when they came does not count").noneMatch(Future::isDone);
            mayEnd.release();
            for (Future<Void> other : others) {
                other.get();
            }
        }
        assertThat(begun).hasValue(2);
    }

    @Test
    void aFailedSyncFailsAllWhoWaitedForIt() throws Exception {
        var shared = new SharedSync(disk(this::sync));
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var first = threads.submit(call(shared));
            Eventually.value("sync 1 has begun", begun::get, count -> count == 1);
            List<Future<Void>> others = tenMore(threads, shared);
            mayEnd.release();
            first.get();
            Eventually.value("sync 2 has begun", begun::get, count -> count == 2);
            broken = true;
            mayEnd.release();
            for (Future<Void> other : others) {
                assertThatThrownBy(other::get).isInstanceOf(ExecutionException.class)
                        .hasMessageContaining("cannot sync /d: out of order");
            }
            broken = false;
            mayEnd.release();
            shared.sync(DIRECTORY);
        }
    }

    @Test
    void everyoneWaitsForASyncThatBeganAfterTheyCame() throws Exception {
        var shared = new SharedSync(disk(begun::incrementAndGet));
        try (var threads = Executors.newFixedThreadPool(8)) {
            var results = new ArrayList<Future<Void>>();
            for (int i = 0; i < 2_000; i++) {
                results.add(threads.submit(() -> {
                    int before = begun.get();
                    shared.sync(DIRECTORY);
                    assertThat(begun.get()).isGreaterThan(before);
                    return null;
                }));
            }
            for (Future<Void> result : results) {
                result.get();
            }
        }
    }

    private List<Future<Void>> tenMore(ExecutorService threads, SharedSync shared)
            throws Exception {
        var arrived = new CountDownLatch(10);
        var others = new ArrayList<Future<Void>>();
        var waiting = new ArrayList<Thread>();
        for (int i = 0; i < 10; i++) {
            others.add(threads.submit(() -> {
                synchronized (waiting) {
                    waiting.add(Thread.currentThread());
                }
                arrived.countDown();
                shared.sync(DIRECTORY);
                return null;
            }));
        }
        Eventually.open("ten came", arrived);
        Eventually.holds("all wait",
                () -> waiting.stream().allMatch(thread -> thread.getState() == Thread.State.WAITING));
        return others;
    }

    private static Callable<Void> call(SharedSync shared) {
        return () -> {
            shared.sync(DIRECTORY);
            return null;
        };
    }

    private void sync() throws IOException {
        begun.incrementAndGet();
        mayEnd.acquireUninterruptibly();
        if (broken) {
            throw new IOException("out of order");
        }
    }

    private interface Sync {
        void run() throws IOException;
    }

    /** A disk that can do nothing but sync directories. */
    private static Disk disk(Sync sync) {
        return (Disk) Proxy.newProxyInstance(
                Disk.class.getClassLoader(), new Class<?>[] {Disk.class}, (self, method, arguments) -> {
            assertThat(method.getName()).isEqualTo("syncDirectory");
            sync.run();
            return null;
        });
    }
}
