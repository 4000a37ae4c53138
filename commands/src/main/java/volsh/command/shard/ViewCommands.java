package volsh.command.shard;

import volsh.command.run.Node;

/** The commands about views. */
final class ViewCommands {
    private ViewCommands() {}

    static Node node() {
        return Node.group("view", "Show directories of small files as shards, without copying them.",
                Node.command("create", ViewCreate::new),
                Node.command("list", ViewList::new),
                Node.command("show", ViewShow::new),
                Node.command("remove", ViewRemove::new));
    }
}
