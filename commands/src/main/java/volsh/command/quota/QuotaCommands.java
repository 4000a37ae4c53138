package volsh.command.quota;

import java.util.List;
import volsh.command.run.Node;

/** The commands of this package. */
public final class QuotaCommands {
    private QuotaCommands() {}

    public static List<Node> nodes() {
        return List.of(Node.group("quota", "Limit the space of volumes, directories, users and groups.",
                Node.command("set", QuotaSet::new),
                Node.command("list", QuotaList::new).alias("ls"),
                Node.command("show", QuotaShow::new).alias("get"),
                Node.command("remove", QuotaRemove::new).alias("unset")));
    }
}
