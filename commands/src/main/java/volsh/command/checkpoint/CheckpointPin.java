package volsh.command.checkpoint;

import picocli.CommandLine.Command;
import volsh.command.Examples;

@Command(name = "pin", description = "Pin a checkpoint: it is neither pruned nor destroyed until it is unpinned.")
@Examples({"volsh checkpoint pin training-data --run r1", "volsh checkpoint pin training-data --run r1 --step 1000"})
final class CheckpointPin extends Pinning {
    CheckpointPin() {
        super(true);
    }
}
