package volsh.command.token;

import java.util.List;
import volsh.command.run.Node;

/** The commands of this package. */
public final class TokenCommands {
    private TokenCommands() {}

    public static List<Node> nodes() {
        return List.of(Node.group("token", "Share a volume in a database, or a part of it, for a limited time.",
                Node.command("create", TokenCreate::new),
                Node.command("list", TokenList::new).alias("ls"),
                Node.command("show", TokenShow::new),
                Node.command("revoke", TokenRevoke::new)));
    }
}
