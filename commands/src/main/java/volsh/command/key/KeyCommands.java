package volsh.command.key;

import java.util.List;
import volsh.command.run.Node;

/** The commands of this package. */
public final class KeyCommands {
    private KeyCommands() {}

    public static List<Node> nodes() {
        return List.of(Node.group("key", "Manage the keys that open encrypted volumes.",
                Node.command("list", KeyList::new).alias("ls"),
                Node.command("add", KeyAdd::new),
                Node.command("rotate", KeyRotate::new),
                Node.command("remove", KeyRemove::new).alias("rm"),
                Node.command("use", KeyUse::new)));
    }
}
