package volsh.command.bench;

import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import volsh.bench.Facts;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.trial.EpochTrial;
import volsh.trial.EpochTrial.Epoch;
import volsh.unit.ByteSize;
import volsh.unit.Percent;
import volsh.unit.Rate;

@Command(name = "epochs", description = {
        "Read a dataset several times with several cache sizes; compare with the forecast.",
        "Compares hits with the forecast of volsh plan cache. Creates a temporary volume below the directory with one"
                + " file per --sample bytes, and reads all files in a different order in each pass, without a mount"
                + " and without readahead. OFF is the difference between hits and forecast in points. SPEEDUP is"
                + " relative to the first pass with that cache, which starts empty. The result is saved, see volsh"
                + " bench list."})
@Examples({"volsh bench run epochs --on . --size 4MiB --sample 64KiB --cache 25%,50%,80% --store latency=1ms",
        "volsh bench run epochs --on . --size 2MiB --sample 64KiB --cache 1MiB --epochs 2 -o json"})
final class BenchEpochs implements Mutation<Rows<BenchEpochs.Pass>> {
    private static final Columns<Pass> COLUMNS = Columns.of(Pass.class)
            .bytes("cache", pass -> pass.epoch().cache())
            .number("epoch", pass -> pass.epoch().number())
            .rate("rate", pass -> new Rate(Math.max(1, Math.round(pass.epoch().measured().bytesPerSecond()))))
            .span("p50", pass -> pass.epoch().measured().latency().p50())
            .span("p99", pass -> pass.epoch().measured().latency().p99())
            .number("hits", pass -> Kept.percent(pass.epoch().hits()))
            .number("forecast", pass -> pass.epoch().number() == 1 ? null : Kept.percent(pass.epoch().forecast()))
            .number("off", pass -> pass.epoch().number() == 1 ? null : Math.round(pass.epoch().off() * 10) / 10.0)
            .number("speedup", pass -> Math.round(pass.speedup() * 100) / 100.0);

    @Mixin
    private TrialTerms terms = new TrialTerms();

    @Option(names = "--sample", paramLabel = "SIZE", defaultValue = "128KiB",
            description = "Set the size of a file (default: ${DEFAULT-VALUE}).")
    private ByteSize sample;

    @Option(names = "--cache", paramLabel = "SIZE|PERCENT", split = ",", defaultValue = "25%,50%,80%",
            description = "Set the cache sizes, in bytes or as shares of the data (default: ${DEFAULT-VALUE}).")
    private List<String> caches;

    @Option(names = "--epochs", paramLabel = "N", defaultValue = "3",
            description = "Set the passes with each cache (default: ${DEFAULT-VALUE}).")
    private int epochs;

    /** A pass and how much faster it was than the first. */
    record Pass(Epoch epoch, double speedup) {}

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    private List<ByteSize> caches() {
        try {
            return caches.stream().map(text -> text.endsWith("%")
                    ? new ByteSize(Percent.of(text).share(terms.size().bytes())) : ByteSize.of(text)).toList();
        } catch (IllegalArgumentException wrong) {
            throw CommandFailure.usage("--cache: " + wrong.getMessage());
        }
    }

    private void check(Session session) {
        caches();
        if (epochs < 1 || epochs > 100) {
            throw CommandFailure.usage("--epochs must be from 1 to 100, not " + epochs);
        }
        terms.of(session, sample, _ -> { });
    }

    @Override
    public Plan plan(Session session) {
        check(session);
        return Plan.of("write", "%s below %s".formatted(terms.size(), terms.directory()), "removed afterwards");
    }

    @Override
    public Rows<Pass> run(Session session) throws Exception {
        check(session);
        List<Epoch> rows;
        try (var progress = session.progress("epochs", -1)) {
            rows = new EpochTrial(terms.of(session, sample, progress::add), terms.manners()).run(caches(), epochs);
        }
        session.cancellation().check();
        Kept.add(session, "epochs", terms.directory(), Facts.of(terms.of(session, sample, _ -> { })),
                rows.stream().map(Epoch::measured).toList());
        return Rows.of(COLUMNS, rows.stream()
                .map(row -> new Pass(row, row.measured().speed() / first(rows, row).measured().speed())).toList());
    }

    private static Epoch first(List<Epoch> rows, Epoch of) {
        return rows.stream().filter(row -> row.cache().equals(of.cache())).findFirst().orElseThrow();
    }
}
