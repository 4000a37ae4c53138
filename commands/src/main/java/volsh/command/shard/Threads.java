package volsh.command.shard;

import picocli.CommandLine.Option;
import volsh.command.failure.CommandFailure;

/** How many shards are worked on at a time. */
final class Threads {
    private static final int MOST = 64;

    @Option(names = "--parallel", paramLabel = "N", defaultValue = "4",
            description = "Work on this many shards at a time (default: ${DEFAULT-VALUE}).")
    private int parallel;

    int count() {
        if (parallel < 1 || parallel > MOST) {
            throw CommandFailure.usage("--parallel must be from 1 to %d, not %d".formatted(MOST, parallel));
        }
        return parallel;
    }
}
