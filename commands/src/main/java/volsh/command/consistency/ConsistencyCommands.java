package volsh.command.consistency;

import java.util.List;
import volsh.command.run.Node;

/** The commands of this package. */
public final class ConsistencyCommands {
    private ConsistencyCommands() {}

    public static List<Node> nodes() {
        return List.of(Node.group("consistency", "Set how fresh mounts show data, per directory.",
                Node.command("set", ConsistencySet::new),
                Node.command("unset", ConsistencyUnset::new),
                Node.command("show", ConsistencyShow::new),
                Node.command("list", ConsistencyList::new).alias("ls")));
    }
}
