package volsh.command.store;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.catalog.StoreProbe;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.unit.ByteSize;
import volsh.unit.Span;
import volsh.volume.Volumes;

@Command(name = "probe",
        description = {"Test a store: put, read, list and delete objects, and compare every byte.",
        "Uses a few objects of its own. The requests run one after the other, so the times are those of single"
                + " requests. Exit 6 when the store fails, 7 when it returns other bytes."})
@Examples({"volsh store probe lake", "volsh store probe lake --size 1MiB --count 16 -o json"})
final class StoreProbing implements Mutation<Rows<StoreProbe.Step>> {
    private static final Columns<StoreProbe.Step> COLUMNS = Columns.of(StoreProbe.Step.class)
            .text("operation", StoreProbe.Step::operation)
            .number("requests", StoreProbe.Step::requests)
            .bytes("size", step -> step.size().bytes() == 0 ? null : step.size())
            .span("latency", StoreProbe.Step::latency)
            .span("worst", StoreProbe.Step::worst)
            .rate("rate", StoreProbe.Step::rate);

    @Parameters(paramLabel = "STORE", description = "Store to test.")
    private String name;

    @Option(names = "--size", paramLabel = "SIZE", defaultValue = "256KiB",
            description = "Set the object size (default: ${DEFAULT-VALUE}).")
    private ByteSize size;

    @Option(names = "--count", paramLabel = "N", defaultValue = "8",
            description = "Set the number of objects (default: ${DEFAULT-VALUE}).")
    private int count;

    @Option(names = "--timeout", paramLabel = "TIME", defaultValue = StoreProbe.TIMEOUT,
            description = "Give up if one request takes longer (default: ${DEFAULT-VALUE}).")
    private Span timeout;

    private StoreProbe probe() {
        return new StoreProbe(size, count, timeout.duration());
    }

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var probe = probe();
        var store = session.service(Volumes.class).stores().find(name);
        return Plan.of("put", "%d objects of %s into store '%s'".formatted(probe.count(), probe.size(), name),
                store.url().toString())
                .then("delete", "these objects", "");
    }

    @Override
    public Rows<StoreProbe.Step> run(Session session) throws Exception {
        var steps = session.service(Volumes.class).stores().probe(name, probe());
        session.say("store '" + name + "' works: every byte read matches");
        return Rows.of(COLUMNS, steps);
    }
}
