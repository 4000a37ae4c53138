package volsh.command.shard;

import java.util.List;
import volsh.command.run.Node;

/** The commands of this package. */
public final class ShardCommands {
    private ShardCommands() {}

    public static List<Node> nodes() {
        return List.of(Node.group("shard", "Pack datasets into shards; read, verify, unpack and split them.",
                Node.command("pack", ShardPack::new),
                ViewCommands.node(),
                Node.command("list", ShardList::new),
                Node.command("show", ShardShow::new),
                Node.command("cat", ShardCat::new),
                Node.command("verify", ShardVerify::new),
                Node.command("index", ShardIndexCommand::new),
                Node.command("unpack", ShardUnpack::new),
                Node.command("convert", ShardConvert::new),
                Node.command("read", ShardRead::new),
                Node.command("plan", ShardPlanCommand::new),
                Node.command("assign", ShardAssign::new)));
    }
}
