package volsh.command.plan;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.plan.Medium;
import volsh.plan.Redundancy;
import volsh.unit.ByteSize;
import volsh.unit.Rate;

@Command(name = "storage", description = {"Compare kinds of storage with what jobs need.",
        "The figures of each kind are typical, not measured here: local NVMe and a cache count for each node, the"
                + " others for all nodes together. --redundancy 10+4 or 3x adds the cost of redundancy."})
@Examples({"volsh plan storage --rate 1.33GB/s --requests 10240 --dataset 150GB",
        "volsh plan storage --rate 40GB/s --dataset 2PB --redundancy 10+4 --nodes 64"})
final class PlanStorage implements Action<Rows<Medium>> {
    private static final Columns<Medium> COLUMNS = Columns.of(Medium.class)
            .text("kind", Medium::kind)
            .text("enough", Medium::enough)
            .text("why", Medium::why)
            .rate("rate", Medium::rate)
            .number("requests", Medium::requests)
            .bytes("size", Medium::size)
            .bytes("stored", Medium::stored)
            .text("shared", Medium::shared);

    @Option(names = "--rate", paramLabel = "RATE", required = true,
            description = "Set the read rate of all nodes together.")
    private Rate rate;

    @Option(names = "--requests", paramLabel = "N", defaultValue = "0",
            description = "Set their reads per second (default: ${DEFAULT-VALUE}).")
    private double requests;

    @Option(names = "--dataset", paramLabel = "SIZE", required = true, description = "Set the dataset size.")
    private ByteSize dataset;

    @Option(names = "--nodes", paramLabel = "N", defaultValue = "1",
            description = "Set the number of nodes (default: ${DEFAULT-VALUE}).")
    private long nodes;

    @Option(names = "--redundancy", paramLabel = "K+M|Nx",
            description = "Set the redundancy: 10+4, or 3x for three copies.")
    private @Nullable String redundancy;

    @Override
    public Rows<Medium> run(Session session) {
        var kept = redundancy == null ? Redundancy.NONE : Redundancy.of(redundancy);
        return Rows.of(COLUMNS, Medium.of(rate, requests, kept.stored(dataset), nodes));
    }
}
