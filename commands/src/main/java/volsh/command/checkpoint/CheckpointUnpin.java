package volsh.command.checkpoint;

import picocli.CommandLine.Command;
import volsh.command.Examples;

@Command(name = "unpin", description = "Unpin a checkpoint: it may be pruned and destroyed.")
@Examples({"volsh checkpoint unpin training-data --run r1",
        "volsh checkpoint unpin training-data --run r1 --step 1000"})
final class CheckpointUnpin extends Pinning {
    CheckpointUnpin() {
        super(false);
    }
}
