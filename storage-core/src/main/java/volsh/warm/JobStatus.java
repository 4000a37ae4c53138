package volsh.warm;

import java.util.List;
import java.util.Optional;

/**
 * The progress of a job. {@code totalBytes} is -1 until it is known; it and {@code doneBytes} count bytes of files, the
 * others stored bytes: {@code present} were cached already, {@code fetched} came from the store, {@code freed} were
 * evicted. {@code blocks} were looked at, {@code damaged} of them are damaged or missing in the store. {@code full}:
 * the cache had no more space.
 */
public record JobStatus(
        State state, long files, long blocks, long doneBytes, long totalBytes, long present, long fetched, long freed,
        long damaged, boolean full, Optional<Problem> problem) {
    public enum State {
        RUNNING,
        DONE,
        CANCELLED,
        FAILED
    }

    /** Why it failed: the name of a {@link volsh.fs.FsError}, {@code DAMAGED} or {@code UNAVAILABLE}, and a text. */
    public record Problem(String kind, String text) {}

    public boolean isOver() {
        return state != State.RUNNING;
    }

    public List<String> lines() {
        return List.of("%s %d %d %d %d %d %d %d %d %b".formatted(
                        state, files, blocks, doneBytes, totalBytes, present, fetched, freed, damaged, full),
                problem.map(Problem::kind).orElse(""), problem.map(why -> why.text().replace('\n', ' ')).orElse(""));
    }

    /** Parses the result of {@link #lines}. */
    public static JobStatus parse(List<String> lines) {
        var words = lines.getFirst().split(" ");
        var numbers = new long[8];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = Long.parseLong(words[i + 1]);
        }
        boolean told = lines.size() > 1 && !lines.get(1).isEmpty();
        return new JobStatus(State.valueOf(words[0]), numbers[0], numbers[1], numbers[2], numbers[3],
                numbers[4], numbers[5], numbers[6], numbers[7], Boolean.parseBoolean(words[9]),
                told ? Optional.of(new Problem(lines.get(1), lines.size() > 2 ? lines.get(2) : "")) : Optional.empty());
    }
}
