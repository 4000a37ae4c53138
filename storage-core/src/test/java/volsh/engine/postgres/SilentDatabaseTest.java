package volsh.engine.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static volsh.engine.MetaEngineContract.add;
import static volsh.engine.MetaEngineContract.count;
import static volsh.engine.MetaEngineContract.key;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import volsh.engine.MetaUnavailableException;
import volsh.engine.RequestClock;
import volsh.postgrestest.LosingProxy;
import volsh.postgrestest.PostgresServer;

/**
 * A database behind a black hole: connections stay, and nothing comes back. An operation ends by an error when its time
 * is over, however many answers it waits for.
 */
@Tag("wait")
final class SilentDatabaseTest {
    private static final UUID VOLUME = UUID.randomUUID();
    private static final PostgresLimits BRIEF = new PostgresLimits(4, Duration.ofSeconds(1), Duration.ofMinutes(1),
            LogPace.standard());
    /** Many times what an operation may take, and less than one answer may take that nobody limits. */
    private static final Duration GENEROUS = Duration.ofSeconds(17);

    @Test
    void everyOperationEndsBeforeTheDatabaseIsBack() throws Exception {
        try (var proxy = new LosingProxy(PostgresServer.shared().port())) {
            var url = PostgresUrl.of(PostgresServer.url(proxy.port())).withVolume(PostgresServer.freshName());
            PostgresMetaEngine.create(url, VOLUME).close();
            try (var engine = PostgresMetaEngine.open(url, VOLUME, BRIEF, InstantSource.system());
                    var threads = Executors.newCachedThreadPool()) {
                add(engine, "n", 1);
                proxy.swallow(true);
                var read = CompletableFuture.supplyAsync(() -> failure(() -> engine.read(tx -> tx.get(key("n")))),
                        threads);
                var scan = CompletableFuture.supplyAsync(
                        () -> failure(() -> engine.read(tx -> tx.scan(key("a"), key("z"), 10))), threads);
                var change = CompletableFuture.supplyAsync(() -> failure(() -> add(engine, "n", 1)), threads);
                for (var each : List.of(read, scan, change)) {
                    assertThat(each.get(GENEROUS.toSeconds(), TimeUnit.SECONDS)).isNotNull();
                }
                proxy.swallow(false);
                assertThat(count(engine, "n")).as("nobody knew whether the change was made; it is once at most")
                        .isBetween(1L, 2L);
            }
        }
    }

    /**
     * The processes of the server are stopped: the kernel takes the connection, and nothing answers. Who opens a volume
     * is not kept waiting for ever.
     */
    @Test
    void openingEndsToo() throws Exception {
        try (var server = PostgresServer.start(); var threads = Executors.newCachedThreadPool()) {
            var url = PostgresUrl.of(server.url() + "?outageTimeout=1").withVolume("stopped");
            PostgresMetaEngine.create(url, VOLUME).close();
            server.pause();
            try {
                List<Operation> all = List.of(() -> PostgresMetaEngine.open(url, VOLUME),
                        () -> PostgresMetaEngine.volumes(url), () -> PostgresMetaEngine.drop(url, VOLUME),
                        () -> PostgresMetaEngine.tokens(url, VOLUME),
                        () -> PostgresMetaEngine.create(url.withVolume("another"), VOLUME));
                var asked = all.stream().map(each -> CompletableFuture.supplyAsync(() -> failure(each), threads))
                        .toList();
                for (var each : asked) {
                    assertThat(each.get(2, TimeUnit.MINUTES)).isInstanceOf(MetaUnavailableException.class)
                            .hasMessageContaining("the server does not respond");
                }
            } finally {
                server.resume();
            }
            PostgresMetaEngine.open(url, VOLUME).close();
        }
    }

    private interface Operation {
        void run() throws Exception;
    }

    private static Exception failure(Operation operation) {
        try {
            operation.run();
            return null;
        } catch (Exception failed) {
            return failed;
        }
    }

    /** Bytes of a file that other threads write out are part of the request that waits for them. */
    @Test
    void theDeadlineGoesWithTheWork() throws Exception {
        var longest = Duration.ofHours(1);
        RequestClock.begin(System.nanoTime() - longest.toNanos());
        try {
            var left = new CompletableFuture<Long>();
            Thread.ofPlatform().start(RequestClock.carried(() -> left.complete(new OutageRetry(longest).leftNanos())))
                    .join();
            assertThat(left.get()).isLessThan(longest.toNanos() / 2);
        } finally {
            RequestClock.end();
        }
    }

    /** What a request has waited for already counts: a listing after a lookup does not wait as long again. */
    @Test
    void aRequestHasOneDeadline() throws InterruptedException, ExecutionException {
        var longest = Duration.ofHours(1);
        long hour = longest.toNanos();
        assertThat(new OutageRetry(longest).leftNanos()).isGreaterThan(hour / 2);
        RequestClock.begin(System.nanoTime() - hour);
        try {
            assertThat(new OutageRetry(longest).leftNanos()).isPositive().isLessThan(hour / 2);
        } finally {
            RequestClock.end();
        }
        assertThat(new OutageRetry(longest).leftNanos()).isGreaterThan(hour / 2);
    }
}
