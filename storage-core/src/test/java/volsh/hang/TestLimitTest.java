package volsh.hang;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder.request;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** {@link TestLimit}: classes that hang, run by a JUnit of their own with a small limit. Without it they never end. */
class TestLimitTest {
    private static final CountDownLatch NEVER = new CountDownLatch(1);

    @Test
    void aTestThatHangsFailsAndTellsWhatAllThreadsDo() {
        var ended = run(Hanging.class);
        assertThat(ended.getTestsFailedCount()).isEqualTo(1);
        assertThat(ended.getTestsSucceededCount()).as("the test after it is not interrupted").isEqualTo(1);
        var failure = ended.getFailures().getFirst().getException();
        assertThat(failure).isInstanceOf(AssertionError.class).hasCauseInstanceOf(InterruptedException.class)
                .hasMessageContaining("Hanging: aHangs hung: no end after PT0.2S")
                .hasMessageContaining("TestLimitTest$Hanging.aHangs(").hasMessageContaining("\"test limits\"")
                .hasMessageContaining("a thread of the test");
        assertThat(failure.getMessage()).as("a process of it").containsPattern("process \\d+, .*sleep 1000");
    }

    @Test
    void soDoesWhatIsNoMethod() {
        var dynamic = run(HangingDynamic.class);
        assertThat(dynamic.getTestsSucceededCount()).isEqualTo(2);
        assertThat(dynamic.getFailures()).singleElement().satisfies(failure ->
                assertThat(failure.getException()).hasMessageContaining("HangingDynamic: the second hung"));
        var repeated = run(HangingRepeated.class);
        assertThat(repeated.getTestsFailedCount()).isEqualTo(1);
        assertThat(repeated.getTestsSucceededCount()).isEqualTo(1);
    }

    @Test
    void soDoesWhatComesBeforeAndAfter() {
        for (Class<?> each : List.of(HangingBefore.class, HangingBeforeAll.class, HangingAfter.class,
                HangingAfterAll.class, HangingConstructor.class)) {
            assertThat(run(each).getFailures()).as(each.getSimpleName()).singleElement().satisfies(failure ->
                    assertThat(failure.getException()).hasMessageContaining("hung: no end"));
        }
    }

    /** It swallows the interrupt, and its end is late: still a failure, for the same reason. */
    @Test
    void aLateEndIsAFailure() {
        assertThat(run(Swallowing.class).getFailures()).singleElement().satisfies(failure ->
                assertThat(failure.getException()).hasMessageContaining("aSwallows hung"));
    }

    @Test
    void whoIsNotEndedByAnInterruptIsGivenUp() {
        var given = new CompletableFuture<String>();
        var watch = Watchdog.watch("this", Watchdog.TICK, Watchdog.TICK, given::complete);
        String message = given.orTimeout(2, TimeUnit.MINUTES).join();       // an interrupt does not end it
        assertThat(watch.end()).isPresent();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(message).contains("whoIsNotEndedByAnInterruptIsGivenUp").endsWith("the process ends");
    }

    @Test
    void whatEndsInTimeIsLeftAlone() throws Exception {
        var watch = Watchdog.watch("this", Duration.ofHours(1));
        Thread.sleep(Watchdog.TICK.multipliedBy(3));
        assertThat(watch.end()).isEmpty();
    }

    private static TestExecutionSummary run(Class<?> type) {
        var summary = new SummaryGeneratingListener();
        LauncherFactory.create().execute(request().selectors(selectClass(type))
                .configurationParameter(TestLimit.PARAMETER, "PT0.2S").build(), summary);
        return summary.getSummary();
    }

    private static void hang() throws InterruptedException {
        NEVER.await();
    }

    static class Hanging {
        @Test
        void aHangs() throws Exception {
            var other = Thread.ofPlatform().daemon().name("a thread of the test")
                    .start(() -> new Semaphore(0).acquireUninterruptibly());
            var process = new ProcessBuilder("sleep", "1000").start();
            try {
                assertThat(other.isAlive()).isTrue();
                hang();
            } finally {
                process.destroyForcibly();
            }
        }

        @Test
        void bDoesNot() {
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        }
    }

    static class HangingDynamic {
        @TestFactory
        Stream<DynamicTest> all() {
            return Stream.of(dynamicTest("the first", () -> {}), dynamicTest("the second", TestLimitTest::hang),
                    dynamicTest("the third", () -> assertThat(Thread.currentThread().isInterrupted()).isFalse()));
        }
    }

    static class HangingRepeated {
        private static int times;

        @RepeatedTest(2)
        void repeated() throws Exception {
            if (times++ == 0) {
                hang();
            }
        }
    }

    static class Swallowing {
        @Test
        void aSwallows() {
            try {
                hang();
            } catch (InterruptedException swallowed) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static class HangingConstructor {
        HangingConstructor() throws Exception {
            hang();
        }

        @Test
        void test() {}
    }

    static class HangingBefore {
        @BeforeEach
        void before() throws Exception {
            hang();
        }

        @Test
        void test() {}
    }

    static class HangingBeforeAll {
        @BeforeAll
        static void before() throws Exception {
            hang();
        }

        @Test
        void test() {}
    }

    static class HangingAfter {
        @AfterEach
        void after() throws Exception {
            hang();
        }

        @Test
        void test() {}
    }

    static class HangingAfterAll {
        @AfterAll
        static void after() throws Exception {
            hang();
        }

        @Test
        void test() {}
    }
}
