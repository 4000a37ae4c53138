package volsh.command.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import volsh.hang.Eventually;

/** What those hear who look at the console, and those who stopped looking. */
final class ConsoleFeedTest {
    private static final Panel FAST = Panel.of("fast", Duration.ZERO, "stats").asAlways();

    @Test
    void aViewerThatDoesNotReadIsDropped() {
        var asked = new AtomicInteger();
        try (var feed = new ConsoleFeed(List.of(FAST), _ -> "[%d]".formatted(asked.incrementAndGet()),
                InstantSource.system())) {
            var silent = feed.join();
            feed.start();
            Eventually.holds("600 messages were sent", () -> asked.get() > 600);
            Eventually.holds("the silent viewer is dropped", silent::isDropped);
            assertThat(feed.listeners()).isZero();
        }
    }

    /** One who joins late hears the past first, then what is new; while nobody looks, only the history is asked for. */
    @Test
    void whoJoinsHearsTheHistoryFirst() throws Exception {
        var panels = List.of(FAST, Panel.of("other", Duration.ofHours(1), "df"));
        var others = new AtomicInteger();
        try (var feed = new ConsoleFeed(panels, words ->
                words.contains("df") ? "[%d]".formatted(others.incrementAndGet()) : "[]", InstantSource.system())) {
            feed.start();
            Eventually.holds("there is a past", () -> {
                try (var look = feed.join()) {
                    return look.next(Duration.ofMinutes(1)).contains("\"panel\":\"fast\"");
                }
            });
            try (var viewer = feed.join()) {
                assertThat(viewer.next(Duration.ofMinutes(1))).startsWith("{\"panel\":\"history\"")
                        .contains("volsh stats");
                Eventually.holds("the other panel is asked", () -> others.get() == 1);
            }
            try (var later = feed.join()) {
                for (int i = 0; i < 3; i++) {
                    assertThat(later.next(Duration.ofMinutes(1))).as("what was so for the last viewer")
                            .doesNotStartWith("{\"panel\":\"other\"");
                }
            }
        }
    }

    @Test
    void aFailureIsTold() throws Exception {
        try (var feed = new ConsoleFeed(List.of(FAST), _ -> {
            throw new IllegalArgumentException("no such thing");
        }, InstantSource.system())) {
            feed.start();
            try (var viewer = feed.join()) {
                viewer.next(Duration.ofMinutes(1));
                assertThat(viewer.next(Duration.ofMinutes(1))).contains("\"failure\"", "no such thing", "volsh stats");
            }
        }
    }

    /** A mount or a database that hangs: its panel says so, the others go on, and it is asked only once. */
    @Test
    void aCommandThatHangsIsToldAndDelaysNobody() throws Exception {
        var asked = new AtomicInteger();
        var answered = new CountDownLatch(1);
        var slow = Panel.of("volumes", Duration.ofHours(1), "df");
        var other = Panel.of("jobs", Duration.ofMillis(50), "job", "list");
        try (var feed = new ConsoleFeed(List.of(other, slow), words -> {
            if (words.contains("df")) {
                asked.incrementAndGet();
                answered.await();
            }
            return "[]";
        }, InstantSource.system(), Duration.ofMillis(20))) {
            feed.start();
            try (var viewer = feed.join()) {
                hears(viewer, "{\"panel\":\"late\",\"of\":\"volumes\",\"seconds\":");
                hears(viewer, "{\"panel\":\"jobs\"");
                hears(viewer, "{\"panel\":\"late\"");
                try (var second = feed.join()) {
                    hears(second, "{\"panel\":\"late\"");
                }
                assertThat(asked).as("not again while it hangs").hasValue(1);
                answered.countDown();
                hears(viewer, "{\"panel\":\"volumes\"");
                try (var third = feed.join()) {
                    assertThat(third.next(Duration.ofMinutes(1))).contains("history");
                    assertThat(third.next(Duration.ofMinutes(1)) + third.next(Duration.ofMinutes(1)))
                            .contains("{\"panel\":\"volumes\"").doesNotContain("late");
                }
            }
        }
    }

    private static void hears(ConsoleFeed.Listener viewer, String beginning) throws Exception {
        String message = viewer.next(Duration.ofMinutes(1));
        while (message != null && !message.startsWith(beginning)) {
            message = viewer.next(Duration.ofMinutes(1));
        }
        assertThat(message).as(beginning).isNotNull();
    }

    /** Thousands of volumes are asked about part by part; one who joins gets all parts, and is not dropped by that. */
    @Test
    void manyVolumesComeInParts() throws Exception {
        var names = IntStream.range(0, 5000).mapToObj("v%04d"::formatted).toList();
        var most = new AtomicInteger();
        var panel = Panel.ofVolumes("volumes", Duration.ofHours(1), () -> names, List.of(List.of("df")),
                some -> List.of(some));
        try (var feed = new ConsoleFeed(List.of(panel), words -> {
            most.accumulateAndGet(words.size(), Math::max);
            return "[]";
        }, InstantSource.system())) {
            feed.start();
            try (var viewer = feed.join()) {
                hears(viewer, "{\"panel\":\"history\"");
                for (int part = 0; part < Panel.PARTS_MAX; part++) {
                    assertThat(viewer.next(Duration.ofMinutes(1))).contains("\"part\":%d,\"parts\":50".formatted(part));
                }
                assertThat(most).hasValue(100);
                try (var late = feed.join()) {
                    for (int message = 0; message <= Panel.PARTS_MAX; message++) {
                        assertThat(late.next(Duration.ofMinutes(1))).isNotNull();
                    }
                    assertThat(late.isDropped()).isFalse();
                }
            }
        }
        assertThat(Panel.ofVolumes("volumes", Duration.ZERO, () -> names.subList(0, 20), List.of(List.of("df")),
                some -> List.of(some)).parts().now()).as("few are asked at once")
                .isEqualTo(List.of(List.of(List.of("df"))));
    }

    /** Not even the names of the volumes can be read. */
    @Test
    void aCatalogThatCannotBeReadIsTold() throws Exception {
        var panel = Panel.ofVolumes("volumes", Duration.ofHours(1), () -> {
            throw new IOException("the disk is gone");
        }, List.of(), some -> List.of(some));
        try (var feed = new ConsoleFeed(List.of(panel), _ -> "[]", InstantSource.system())) {
            feed.start();
            try (var viewer = feed.join()) {
                viewer.next(Duration.ofMinutes(1));
                assertThat(viewer.next(Duration.ofMinutes(1))).contains("\"failure\"", "the disk is gone");
            }
        }
    }
}
