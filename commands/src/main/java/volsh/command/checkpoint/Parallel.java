package volsh.command.checkpoint;

import picocli.CommandLine.Option;
import volsh.command.failure.CommandFailure;

/** The option {@code --parallel}: the number of files copied at a time. */
final class Parallel {
    static final int USUAL = 4;
    private static final int MOST = 32;

    @Option(names = "--parallel", paramLabel = "N", defaultValue = "" + USUAL,
            description = "Copy this many files at a time (default: ${DEFAULT-VALUE}).")
    private int count;

    int count() {
        if (count < 1 || count > MOST) {
            throw CommandFailure.usage("--parallel must be from 1 to %d, not %d".formatted(MOST, count));
        }
        return count;
    }
}
