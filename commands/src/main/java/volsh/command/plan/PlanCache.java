package volsh.command.plan;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.cache.Rehearsal;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.command.trace.TraceFile;
import volsh.command.trace.TracePredict;
import volsh.plan.CacheFit;
import volsh.trace.Prediction;
import volsh.unit.ByteSize;
import volsh.unit.Percent;

@Command(name = "cache", description = {"Forecast the cache hit ratio from the second epoch on.",
        "For a node that reads the whole dataset once per epoch, in a different order each time (SHUFFLED) or always"
                + " in the same order (FIXED). POLICY volsh is what mounts do; lru and two-random are what other"
                + " caches do. For a running mount, volsh cache epochs --sizes forecasts from actual reads; --trace"
                + " does so from a trace, with the columns of volsh trace predict."})
@Examples({"volsh plan cache --dataset 1TB --cache 800GB", "volsh plan cache /etc --cache 1MiB",
        "volsh plan cache --dataset 4TB --nodes 4 --cache 800GB"})
final class PlanCache implements Action<Rows<?>> {
    private static final Columns<CacheFit> COLUMNS = Columns.of(CacheFit.class)
            .text("policy", CacheFit::policy)
            .bytes("cache", CacheFit::cache)
            .number("shuffled", fit -> percent(fit.shuffled()))
            .number("fixed", fit -> percent(fit.fixed()))
            .text("how", CacheFit::how);

    @Parameters(arity = "0..1", paramLabel = "DIRECTORY", description = "Dataset whose files are counted.")
    private @Nullable Path directory;

    @Option(names = "--dataset", paramLabel = "SIZE", description = "Set the dataset size.")
    private @Nullable ByteSize dataset;

    @Option(names = "--trace", paramLabel = "FILE",
            description = "Use the reads in this file, which volsh trace record wrote.")
    private @Nullable Path trace;

    @Option(names = "--cache", paramLabel = "SIZE", required = true, description = "Set the cache size of a node.")
    private ByteSize cache;

    @Option(names = "--nodes", paramLabel = "N", defaultValue = "1",
            description = "Set the nodes that each read a fixed part of the dataset (default: ${DEFAULT-VALUE}).")
    private long nodes;

    @Override
    public Rows<?> run(Session session) throws IOException {
        if (Stream.of(directory, dataset, trace).filter(Objects::nonNull).count() != 1) {
            throw CommandFailure.usage("missing dataset: give a directory, --trace or --dataset");
        }
        if (trace != null && nodes != 1) {
            throw CommandFailure.usage("--trace and --nodes exclude each other: a trace covers one node");
        }
        if (trace != null) {
            var read = TraceFile.read(trace, session);
            return Rows.of(TracePredict.COLUMNS, Stream.of(Rehearsal.Manner.values())
                    .flatMap(manner -> Prediction.of(read, List.of(cache), manner).stream()).toList());
        }
        if (nodes < 1) {
            throw CommandFailure.usage("--nodes must be more than 0");
        }
        ByteSize whole = dataset != null ? dataset : counted(Objects.requireNonNull(directory), session);
        List<CacheFit> fits = CacheFit.of(new ByteSize(Math.ceilDiv(whole.bytes(), nodes)), cache);
        return Rows.of(COLUMNS, fits);
    }

    private static ByteSize counted(Path directory, Session session) throws IOException {
        var bytes = new AtomicLong();
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                session.cancellation().check();
                bytes.addAndGet(attributes.isRegularFile() ? attributes.size() : 0);
                return FileVisitResult.CONTINUE;
            }
        });
        if (bytes.get() == 0) {
            throw CommandFailure.usage(directory + " has no files");
        }
        return new ByteSize(bytes.get());
    }

    private static Percent percent(double part) {
        return new Percent(Math.round(part * 1000) / 10.0);
    }
}
