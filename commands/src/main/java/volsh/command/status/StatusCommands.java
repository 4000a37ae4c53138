package volsh.command.status;

import java.util.List;
import volsh.command.run.Node;

/** The commands of this package. */
public final class StatusCommands {
    private StatusCommands() {}

    public static List<Node> nodes() {
        return List.of(Node.command("status", Status::new));
    }
}
