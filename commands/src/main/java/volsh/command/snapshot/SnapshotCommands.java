package volsh.command.snapshot;

import java.util.List;
import volsh.command.run.Node;

/** The commands of this package. */
public final class SnapshotCommands {
    private SnapshotCommands() {}

    public static List<Node> nodes() {
        return List.of(
                Node.group("snapshot", "Create snapshots of volumes in an instant; compare and restore them.",
                        Node.command("create", SnapshotCreate::new),
                        Node.command("list", SnapshotList::new).alias("ls"),
                        Node.command("show", SnapshotShow::new),
                        Node.command("diff", SnapshotDiff::new),
                        Node.command("restore", SnapshotRestore::new),
                        Node.command("clone", SnapshotClone::new),
                        Node.command("prune", SnapshotPrune::new),
                        Node.command("destroy", SnapshotDestroy::new).alias("rm")).alias("snap"),
                Node.command("history", History::new),
                Node.command("undelete", Undelete::new),
                Node.command("clone", Clone::new));
    }
}
