package volsh.command.place;

import java.util.List;
import volsh.command.run.Node;

/** The commands of this package. */
public final class PlaceCommands {
    private PlaceCommands() {}

    public static List<Node> nodes() {
        return List.of(
                Node.group("stripe", "Show, set and change how files are spread over stores.",
                        Node.command("get", StripeGet::new),
                        Node.command("set", StripeSet::new),
                        Node.command("list", StripeList::new).alias("ls"),
                        Node.command("find", StripeFind::new),
                        Node.command("copy", StripeCopy::new),
                        Node.command("migrate", StripeMigrate::new),
                        Node.command("rebalance", StripeRebalance::new)),
                Node.command("heal", Heal::new),
                Node.command("scrub", Scrub::new),
                Node.group("chaos", "Inject failures for a while, to test how volsh reacts.",
                        Node.command("store", ChaosStore::new)));
    }

    /** For the commands about stores. */
    public static Node drain() {
        return Node.command("drain", StoreDrain::new);
    }
}
