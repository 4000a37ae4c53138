package volsh.command.sync;

import java.util.List;
import volsh.command.run.Node;

/** The commands of this package. */
public final class SyncCommands {
    private SyncCommands() {}

    public static List<Node> nodes() {
        return List.of(Node.command("sync", Sync::new), Node.command("stage", Stage::new));
    }
}
