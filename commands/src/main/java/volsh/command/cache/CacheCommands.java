package volsh.command.cache;

import java.util.List;
import volsh.command.run.Node;

/** The commands of this package. */
public final class CacheCommands {
    private CacheCommands() {}

    public static List<Node> nodes() {
        return List.of(Node.group("cache", "See, check and empty the directories where mounts keep data on local disks.",
                Node.command("status", CacheStatus::new),
                Node.command("verify", CacheVerify::new),
                Node.command("evict", CacheEvict::new)));
    }
}
