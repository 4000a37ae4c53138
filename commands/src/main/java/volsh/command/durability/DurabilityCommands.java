package volsh.command.durability;

import java.util.List;
import volsh.command.run.Node;

/** The commands of this package. */
public final class DurabilityCommands {
    private DurabilityCommands() {}

    public static List<Node> nodes() {
        return List.of(Node.command("durability", DurabilityShow::new).with(Node.command("wait", DurabilityWait::new)));
    }
}
