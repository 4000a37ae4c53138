package volsh.command.shard;

import picocli.CommandLine.Option;
import volsh.command.failure.CommandFailure;
import volsh.dataset.shards.ShardAssignment;
import volsh.dataset.shards.ShardAssignment.Evenness;

/** Which reader of a training job is meant, and how shards are shared among all of them. */
final class ReaderOptions {
    @Option(names = "--world", paramLabel = "N", defaultValue = "1",
            description = "The number of ranks (default: ${DEFAULT-VALUE}).")
    private int world;

    @Option(names = "--workers", paramLabel = "N", defaultValue = "1",
            description = "The number of loader workers of each rank (default: ${DEFAULT-VALUE}).")
    private int workers;

    @Option(names = "--pad", description = "Give the first shards out again until all readers have the same number.")
    private boolean pad;

    @Option(names = "--drop", description = "Leave the last shards out, so that all readers have the same number.")
    private boolean drop;

    ShardAssignment assignment() {
        if (world < 1 || workers < 1 || (long) world * workers > 1_000_000) {
            throw CommandFailure.usage("--world and --workers must be at least 1, and their product at most 1000000");
        }
        if (pad && drop) {
            throw CommandFailure.usage("--pad and --drop exclude each other");
        }
        return new ShardAssignment(world, workers, pad ? Evenness.PAD : drop ? Evenness.DROP : Evenness.UNEVEN);
    }

    /** Checks the numbers of a reader. */
    void require(int rank, int worker) {
        if (rank >= world) {
            throw CommandFailure.usage("--rank must be less than --world %d, not %d".formatted(world, rank));
        }
        if (worker >= workers) {
            throw CommandFailure.usage("--worker must be less than --workers %d, not %d".formatted(workers, worker));
        }
    }
}
