package volsh.command.cache;

import java.util.List;
import volsh.command.run.Node;

/** The commands of this package. */
public final class CacheCommands {
    private CacheCommands() {}

    public static List<Node> nodes() {
        return List.of(Node.group("cache", "Show, fill, verify and empty the cache directories of mounts.",
                Node.command("status", CacheStatus::new),
                Node.command("verify", CacheVerify::new),
                Node.command("warm", CacheWarm::new),
                Node.command("pin", CachePin::new),
                Node.command("unpin", CacheUnpin::new),
                Node.command("pins", CachePins::new),
                Node.command("ttl", CacheTtl::new),
                Node.command("ttls", CacheTtls::new),
                Node.command("evict", CacheEvict::new),
                Node.command("resize", CacheResize::new),
                Node.command("flush", CacheFlush::new),
                Node.command("epochs", CacheEpochs::new)),
                Node.command("prefetch", PrefetchOrder::new),
                Node.group("advise", "Say how files will be read, so that mounts load and keep the right data.",
                        Node.command("sequential", AdviseSequential::new),
                        Node.command("random", AdviseRandom::new),
                        Node.command("normal", AdviseNormal::new).alias("clear"),
                        Node.command("willneed", AdviseWillNeed::new),
                        Node.command("dontneed", AdviseDontNeed::new),
                        Node.command("show", AdviseShow::new),
                        Node.command("list", AdviseList::new).alias("ls")));
    }
}
