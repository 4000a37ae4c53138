package volsh.command.plan;

import java.util.List;
import volsh.command.run.Node;

/** The commands of this package. */
public final class PlanCommands {
    private PlanCommands() {}

    public static List<Node> nodes() {
        return List.of(Node.group("plan", "Compute what a job needs from storage, and what that costs.",
                Node.command("bandwidth", PlanBandwidth::new),
                Node.command("iops", PlanIops::new),
                Node.command("prefetch", PlanPrefetch::new),
                Node.command("meta", PlanMeta::new),
                Node.command("checkpoint", PlanCheckpoint::new),
                Node.command("cache", PlanCache::new),
                Node.command("access", PlanAccess::new),
                Node.command("storage", PlanStorage::new)));
    }
}
