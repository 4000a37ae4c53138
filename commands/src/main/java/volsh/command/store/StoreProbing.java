package volsh.command.store;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.block.Ability;
import volsh.block.StoreUrl;
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
        "Of a bucket it also finds out what its server can do: conditional put, checksums, ranges, listings, deletion"
                + " of many objects, versioning. The column 'answer' says so.",
        "Uses a few objects of its own. The requests run one after the other, so the times are those of single"
                + " requests. Exit 6 when the store fails, 7 when it returns other bytes."})
@Examples({"volsh store probe lake", "volsh store probe lake --size 1MiB --count 16 -o json"})
final class StoreProbing implements Mutation<Rows<StoreProbing.Probed>> {
    /** A kind of request, and what the server made of it. */
    record Probed(StoreProbe.Step step, String answer, String note) {
        static Probed of(StoreProbe.Step step) {
            return new Probed(step, "yes", "");
        }

        static Probed of(Ability ability) {
            return new Probed(new StoreProbe.Step(ability.kind().words(), 1, new ByteSize(0), ability.latency(),
                    ability.latency(), Optional.empty()), ability.answer().name().toLowerCase(Locale.ROOT),
                    ability.note());
        }
    }

    private static final Columns<Probed> COLUMNS = Columns.of(Probed.class)
            .text("operation", probed -> probed.step().operation())
            .text("answer", Probed::answer)
            .number("requests", probed -> probed.step().requests())
            .bytes("size", probed -> probed.step().size().bytes() == 0 ? null : probed.step().size())
            .span("latency", probed -> probed.step().latency())
            .span("worst", probed -> probed.step().worst())
            .rate("rate", probed -> probed.step().rate())
            .text("note", Probed::note);

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
    public Rows<Probed> run(Session session) throws Exception {
        var volumes = session.service(Volumes.class);
        var url = volumes.stores().find(name).url();
        var probed = new ArrayList<Probed>();
        if (url.scheme() == StoreUrl.Scheme.S3) {
            var timed = url.option("timeout").isPresent() ? url
                    : url.with(new TreeMap<>(Map.of("timeout", timeout.toString())));
            var abilities = abilities(volumes, timed);
            new ServerCheck(name, url).requireUsable(abilities, true);
            abilities.forEach(ability -> probed.add(Probed.of(ability)));
        }
        volumes.stores().probe(name, probe()).forEach(step -> probed.add(Probed.of(step)));
        session.say("store '" + name + "' works: every byte read matches");
        return Rows.of(COLUMNS, probed);
    }

    /** Nothing of a server that does not answer: then the probe itself tells why. */
    private static List<Ability> abilities(Volumes volumes, StoreUrl url) {
        try {
            return volumes.stores().abilities(url, EnumSet.allOf(Ability.Kind.class));
        } catch (IOException away) {
            return List.of();
        }
    }
}
