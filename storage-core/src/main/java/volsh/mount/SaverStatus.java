package volsh.mount;

import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import volsh.checkpoint.Saver;

/**
 * The state of the saves of a run in a mount's process.
 *
 * @param running the step being saved, {@code last} the one saved last; null if there is none
 * @param error   the last one; empty if there was none
 * @param untold  how many failures were not yet reported to a waiting caller
 */
public record SaverStatus(Path mount, String run, int waiting, @Nullable Long running, @Nullable Long last, long saved,
        long skipped, long failed, String error, int untold) {
    static SaverStatus of(Path mount, String run, Saver.Status status) {
        var error = status.errors().isEmpty() ? "" : status.errors().getLast();
        return new SaverStatus(mount, run, status.waiting(), number(status.running()), number(status.last()),
                status.saved(), status.skipped(), status.failed(), error, status.untold());
    }

    private static @Nullable Long number(OptionalLong step) {
        return step.isPresent() ? step.getAsLong() : null;
    }

    /** As a line, without the mount. Its format never changes, except for words added at the end. */
    String line() {
        return Phrase.of(run, Stream.of(waiting, running == null ? "-" : running, last == null ? "-" : last,
                saved, skipped, failed, error, untold).map(Object::toString).toList());
    }

    SaverStatus on(Path place) {
        return new SaverStatus(place, run, waiting, running, last, saved, skipped, failed, error, untold);
    }

    /** Parses what {@link #line} wrote. */
    static SaverStatus parse(String line) {
        var phrase = Phrase.parse(line);
        var words = phrase.words();
        return new SaverStatus(
                Path.of(""), phrase.verb(), Integer.parseInt(words.get(0)), number(words.get(1)), number(words.get(2)),
                Long.parseLong(words.get(3)), Long.parseLong(words.get(4)), Long.parseLong(words.get(5)), words.get(6),
                words.size() > 7 ? Integer.parseInt(words.get(7)) : 0);
    }

    private static @Nullable Long number(String word) {
        return word.equals("-") ? null : Long.valueOf(word);
    }

    public boolean idle() {
        return waiting == 0 && running == null;
    }
}
