package volsh.command.shard;

import java.io.IOException;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.dataset.shards.ShardFile;
import volsh.shard.DamagedShardException;

/** Names the shard in a failure, because formats do not know it. */
final class ShardProblem {
    private ShardProblem() {}

    static Exception in(ShardFile shard, IOException failure) {
        return failure instanceof DamagedShardException damaged
                ? CommandFailure.of(ExitCode.INTEGRITY, "SHARD-0007", "%s: %s".formatted(shard.shown(),
                        damaged.getMessage())).hint("volsh shard verify " + shard.shown())
                : failure;
    }
}
