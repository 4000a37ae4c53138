package volsh.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.event.Happening.Level;

/** Events are kept in order, in files of bounded size, whoever writes them and whatever becomes of a line. */
final class EventLogTest {
    @TempDir
    Path directory;

    @Test
    void inOrderAndAsTheyWere() throws IOException {
        var log = new EventLog(directory.resolve("events"));
        assertThat(log.read()).isEmpty();
        log.add(Level.INFO, "mount", "/mnt/a", "mounted");
        log.add(Level.WARNING, "store", "lake", "it is down: \"no\nanswer\"");
        assertThat(log.read()).extracting(Happening::text).containsExactly("mounted", "it is down: \"no answer\"");
        assertThat(log.read().getLast()).extracting(Happening::level, Happening::kind, Happening::subject,
                Happening::pid)
                .containsExactly(Level.WARNING, "store", "lake", ProcessHandle.current().pid());
        assertThat(Files.getPosixFilePermissions(directory.resolve("events/events.jsonl"))).hasSize(2);
    }

    /** The newest are kept, and what is kept is bounded. */
    @Test
    void oldOnesGo() throws IOException {
        var log = new EventLog(directory, 10_000);
        for (int i = 0; i < 1_000; i++) {
            log.add(Level.INFO, "mount", "m", "event %04d of many, with some words".formatted(i));
        }
        var kept = log.read();
        assertThat(kept.getLast().text()).startsWith("event 0999");
        assertThat(kept.size()).isBetween(100, 500);
        assertThat(kept).isSortedAccordingTo((one, other) -> one.text().compareTo(other.text()));
        try (var files = Files.list(directory)) {
            assertThat(files.filter(path -> path.toString().endsWith(".jsonl"))).hasSize(4);
        }
    }

    @Test
    void severalAtOnceAndALineThatIsNone() throws Exception {
        var log = new EventLog(directory);
        var threads = new ArrayList<Thread>();
        IntStream.range(0, 4).forEach(t -> threads.add(Thread.ofPlatform().start(() -> {
            for (int i = 0; i < 50; i++) {
                log.add(Level.INFO, "mount", "m" + t, "x".repeat(300));
            }
        })));
        for (var thread : threads) {
            thread.join();
        }
        Files.writeString(directory.resolve("events.jsonl"), "{\"time\": \"2026-", StandardOpenOption.APPEND);
        assertThat(log.read()).hasSize(200);
    }

    /** A home that cannot be written is no reason to fail. */
    @Test
    void lostWhereNothingCanBeWritten() throws IOException {
        var file = Files.writeString(directory.resolve("file"), "");
        new EventLog(file.resolve("events")).add(Level.ERROR, "mount", "m", "lost");
        assertThat(file).hasContent("");
    }

    /** What a process logs becomes events, as long as that is wanted; details do not. */
    @Test
    void whatIsLogged() throws IOException {
        var log = new EventLog(directory);
        var place = System.getLogger("volsh.place");
        try (var _ = new LogEvents(log, "/mnt/a")) {
            place.log(System.Logger.Level.WARNING, "store 'lake' is down: no route");
            place.log(System.Logger.Level.DEBUG, "a detail");
            System.getLogger("volsh.journal").log(System.Logger.Level.ERROR, "block 7 cannot be stored",
                    new IOException("disk full"));
            System.getLogger("elsewhere").log(System.Logger.Level.ERROR, "not ours");
        }
        place.log(System.Logger.Level.WARNING, "too late");
        assertThat(log.read()).extracting(each -> "%s %s %s: %s".formatted(each.level(), each.kind(), each.subject(),
                each.text())).containsExactly(
                "WARNING store /mnt/a: store 'lake' is down: no route",
                "ERROR journal /mnt/a: block 7 cannot be stored: disk full");
    }
}
