package volsh.command.plan;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.plan.Access;
import volsh.unit.ByteSize;
import volsh.unit.Rate;

@Command(name = "access", description = {
        "Choose how a job reads a dataset: downloaded, streamed, or mounted with a cache.",
        "The first row ends soonest, with storage as the only limit."})
@Examples({"volsh plan access --dataset 4TB --disk 2TB --epochs 3", "volsh plan access --dataset 500GB --disk 2TB --epochs 90 --store-rate 2GB/s --need 1.33GB/s"})
final class PlanAccess implements Action<Rows<Access>> {
    private static final Columns<Access> COLUMNS = Columns.of(Access.class)
            .text("way", Access::way)
            .text("best", Access::best)
            .text("possible", Access::possible)
            .span("firstBatch", Access::firstBatch)
            .bytes("moved", Access::moved)
            .span("total", Access::total)
            .text("why", Access::why);

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
    public Rows<Access> run(Session session) {
        return Rows.of(COLUMNS, Access.of(new Access.Terms(dataset, disk, epochs, store, local, need)));
    }
}
