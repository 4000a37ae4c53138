package volsh.command.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
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
}
