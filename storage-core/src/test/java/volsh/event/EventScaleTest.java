package volsh.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.event.Happening.Level;

/** More events than the files of a log hold: the newest are there whenever somebody looks, without a gap. */
final class EventScaleTest {
    private static final boolean LONG = Boolean.getBoolean("volsh.long");
    private static final int MANY = LONG ? 100_000 : 4_000;
    private static final int SIZE = 8_000;

    @TempDir
    Path directory;

    /** One writes and turns the files all the time, one reads. */
    @Test
    void whoReadsWhileFilesAreTurnedMissesNothing() throws Exception {
        var log = new EventLog(directory, SIZE);
        var written = new AtomicInteger();
        log.add(Level.INFO, "mount", "m", text(0));
        var writer = Thread.ofPlatform().start(() -> {
            for (int i = 1; i < MANY; i++) {
                log.add(Level.INFO, "mount", "m", text(i));
                written.set(i);
            }
        });
        try {
            while (writer.isAlive()) {
                int before = written.get();
                requireWhole(log, before);
            }
        } finally {
            writer.join();
        }
        assertThat(requireWhole(log, MANY - 1)).isEqualTo(MANY - 1);
    }

    /** As many as files of their real size hold, five times over: what is kept is bounded, and is the newest. */
    @Test
    void theNewestOfMoreThanAllFilesHoldAreKept() throws IOException {
        var log = new EventLog(directory);
        int events = 5 * 1024 * 1024 / 3_000;
        for (int i = 0; i < events; i++) {
            log.add(Level.INFO, "mount", "m", text(i) + " " + "x".repeat(3_000));
        }
        assertThat(requireWhole(log, events - 1)).isEqualTo(events - 1);
        assertThat(log.read().size()).isBetween(events / 2, events - 1);
    }

    /** What a full disk cut off in the middle of a letter takes nothing else with it. */
    @Test
    void aLineThatIsNoTextIsPassedOver() throws IOException {
        var log = new EventLog(directory);
        log.add(Level.INFO, "mount", "m", text(0));
        byte[] cut = {'{', (byte) 0xe2, (byte) 0x80, '\n'};
        Files.write(directory.resolve("events.jsonl"), cut, StandardOpenOption.APPEND);
        log.add(Level.INFO, "mount", "m", text(1));
        assertThat(requireWhole(log, 1)).isEqualTo(1);
    }

    private static String text(int number) {
        return "event %08d".formatted(number);
    }

    /** The last event, which is not before this one; all before it follow each other. */
    private static int requireWhole(EventLog log, int least) throws IOException {
        int last = -1;
        for (var event : log.read()) {
            int number = Integer.parseInt(event.text().substring(6, 14));
            assertThat(last == -1 || number == last + 1).as("%d follows %d", number, last).isTrue();
            last = number;
        }
        assertThat(last).isGreaterThanOrEqualTo(least);
        return last;
    }
}
