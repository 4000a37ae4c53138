package volsh.command.plan;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.plan.AccessPlan;
import volsh.unit.ByteSize;
import volsh.unit.Rate;

@Command(name = "access", description = {
        "Choose how a job reads a dataset: downloaded, streamed, or mounted with a cache.",
        "The first row ends soonest, with storage as the only limit."})
@Examples({"volsh plan access --dataset 4TB --disk 2TB --epochs 3",
        "volsh plan access --dataset 500GB --disk 2TB --epochs 90 --store-rate 2GB/s --need 1.33GB/s"})
final class PlanAccess implements Action<Rows<AccessPlan>> {
    private static final Columns<AccessPlan> COLUMNS = Columns.of(AccessPlan.class)
            .text("way", AccessPlan::way)
            .text("best", AccessPlan::best)
            .text("possible", AccessPlan::possible)
            .span("firstBatch", AccessPlan::firstBatch)
            .bytes("moved", AccessPlan::moved)
            .span("total", AccessPlan::total)
            .text("why", AccessPlan::why);

    @Option(names = "--dataset", paramLabel = "SIZE", required = true, description = "Set the dataset size.")
    private ByteSize dataset;

    @Option(names = "--disk", paramLabel = "SIZE", required = true,
            description = "Set the space on the node's local disks.")
    private ByteSize disk;

    @Option(names = "--epochs", paramLabel = "N", required = true, description = "Set how often the job reads it.")
    private long epochs;

    @Option(names = "--store-rate", paramLabel = "RATE", defaultValue = "1GB/s",
            description = "Set the rate from the store to the node (default: ${DEFAULT-VALUE}).")
    private Rate store;

    @Option(names = "--disk-rate", paramLabel = "RATE", defaultValue = "5GB/s",
            description = "Set the rate of its disks (default: ${DEFAULT-VALUE}).")
    private Rate local;

    @Option(names = "--need", paramLabel = "RATE", defaultValue = "2GB/s",
            description = "Set the rate the job reads at without waiting; volsh plan bandwidth computes it (default:"
                    + " ${DEFAULT-VALUE}).")
    private Rate need;

    @Override
    public Rows<AccessPlan> run(Session session) {
        return Rows.of(COLUMNS, AccessPlan.of(new AccessPlan.Terms(dataset, disk, epochs, store, local, need)));
    }
}
