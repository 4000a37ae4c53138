package volsh.command.checkpoint;

import picocli.CommandLine.Command;
import volsh.command.Examples;

@Command(name = "unpin", description = "Let a pinned checkpoint go when its time comes.")
@Examples({"volsh checkpoint unpin training-data --run r1", "volsh checkpoint unpin training-data --run r1 --step 1000"})
final class CheckpointUnpin extends Pinning {
    CheckpointUnpin() {
        super(false);
    }
}
