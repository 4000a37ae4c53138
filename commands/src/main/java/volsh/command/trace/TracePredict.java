package volsh.command.trace;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.cache.Rehearsal;
import volsh.command.Action;
import volsh.command.Listing;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.trace.Prediction;
import volsh.unit.ByteSize;
import volsh.unit.Percent;

@Command(name = "predict", description = {"Forecast the hit ratio of a trace with caches of other sizes.",
        "HITS is the share of all reads of frames (128 KiB) that the cache serves; REPEATED leaves out the first read"
                + " of each frame, which no cache can have. --policy epoch is what mounts do: they keep data until it"
                + " is idle for longer than an epoch; lru drops what was read longest ago. Data read ahead does not"
                + " count as a hit. Accurate to about 5 points for a mount that is read in the same way."})
@Examples({"volsh trace predict job.trace --cache 10GiB,20GiB,40GiB",
        "volsh trace predict job.trace --cache 10GiB --policy lru -o json"})
public final class TracePredict implements Action<Rows<Prediction>>, Listing {
    /** Also what {@code volsh plan cache --trace} shows. */
    public static final Columns<Prediction> COLUMNS = Columns.of(Prediction.class)
            .bytes("cache", Prediction::cache)
            .text("policy", each -> each.manner().name().toLowerCase(Locale.ROOT))
            .number("hits", each -> percent(each.all()))
            .number("repeated", each -> percent(each.repeated()))
            .number("reads", Prediction::reads)
            .bytes("data", Prediction::data);

    @Parameters(paramLabel = "FILE", description = "File that volsh trace record wrote.")
    private Path file;

    @Option(names = "--cache", paramLabel = "SIZE", split = ",", required = true,
            description = "Set the cache sizes, separated by commas.")
    private List<ByteSize> sizes;

    @Option(names = "--policy", paramLabel = "epoch|lru", defaultValue = "epoch",
            description = "Simulate this policy (default: ${DEFAULT-VALUE}).")
    private String policy;

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Rows<Prediction> run(Session session) throws Exception {
        var manner = manner(policy);
        return Rows.of(COLUMNS, Prediction.of(TraceFile.read(file, session), sizes, manner));
    }

    private static Rehearsal.Manner manner(String text) {
        return switch (text) {
            case "epoch" -> Rehearsal.Manner.EPOCH;
            case "lru" -> Rehearsal.Manner.LRU;
            default -> throw CommandFailure.usage("'%s' is not a policy (try epoch or lru)".formatted(text));
        };
    }

    private static Percent percent(double part) {
        return new Percent(Math.round(part * 1000) / 10.0);
    }
}
