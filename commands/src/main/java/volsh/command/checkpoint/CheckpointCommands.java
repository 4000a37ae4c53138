package volsh.command.checkpoint;

import java.util.List;
import volsh.command.run.Node;

/** The commands of this package. */
public final class CheckpointCommands {
    private CheckpointCommands() {}

    public static List<Node> nodes() {
        return List.of(Node.group("checkpoint", "Save, verify, restore and prune checkpoints of training runs.",
                Node.command("save", CheckpointSave::new),
                Node.command("list", CheckpointList::new).alias("ls"),
                Node.command("show", CheckpointShow::new),
                Node.command("latest", CheckpointLatest::new),
                Node.command("verify", CheckpointVerify::new),
                Node.command("diff", CheckpointDiff::new),
                Node.command("watch", CheckpointWatch::new),
                Node.command("queue", CheckpointQueue::new),
                Node.command("status", CheckpointStatus::new),
                Node.command("wait", CheckpointWait::new),
                Node.command("restore", CheckpointRestore::new),
                Node.command("pin", CheckpointPin::new),
                Node.command("unpin", CheckpointUnpin::new),
                Node.command("prune", CheckpointPrune::new),
                Node.command("archive", CheckpointArchive::new),
                Node.command("destroy", CheckpointDestroy::new).alias("rm")).alias("ckpt"));
    }
}
