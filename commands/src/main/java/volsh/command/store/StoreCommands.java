package volsh.command.store;

import java.util.List;
import volsh.command.place.PlaceCommands;
import volsh.command.run.Node;

/** The commands of this package. */
public final class StoreCommands {
    private StoreCommands() {}

    public static List<Node> nodes() {
        return List.of(Node.group("store", "Add, show and test the stores where volumes keep their blocks.",
                Node.command("add", StoreAdd::new),
                Node.command("list", StoreList::new).alias("ls"),
                Node.command("show", StoreShow::new),
                Node.command("probe", StoreProbing::new),
                Node.command("abort-uploads", StoreUploads::new),
                PlaceCommands.drain(),
                Node.command("remove", StoreRemove::new)),
                Node.command("import", ImportCommand::new));
    }
}
