package volsh.command.bench;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import picocli.CommandLine.Option;
import volsh.bench.Facts;
import volsh.bench.Measurement;
import volsh.bench.StoreBench;
import volsh.bench.Terms;
import volsh.block.Prefixed;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.unit.ByteSize;
import volsh.volume.Volumes;

/** A benchmark of a store. Two commands share it and differ in how they name the store. */
abstract class StoreMeasured implements Mutation<Rows<Measurement>> {
    /** A buffer for each thread, and one for what is put. */
    private static final long MEMORY = 3L << 29;

    @Option(names = "--size", paramLabel = "SIZE", defaultValue = "256MiB",
            description = "Set the data over all threads (default: ${DEFAULT-VALUE}).")
    private ByteSize size;

    @Option(names = "--io", paramLabel = "SIZE", defaultValue = "4MiB",
            description = "Set the object size (default: ${DEFAULT-VALUE}).")
    private ByteSize io;

    @Option(names = "--part", paramLabel = "SIZE", defaultValue = "128KiB",
            description = "Set the size of a partial read (default: ${DEFAULT-VALUE}).")
    private ByteSize part;

    @Option(names = {"-t", "--threads"}, paramLabel = "N", defaultValue = "8",
            description = "Run this many threads (default: ${DEFAULT-VALUE}).")
    private int threads;

    abstract String store();

    @Override
    public final Columns<?> columns() {
        return Kept.ROWS;
    }

    @Override
    public final Plan plan(Session session) throws Exception {
        var name = store();
        var url = session.service(Volumes.class).stores().find(name).url();
        terms(session, _ -> { });
        return Plan.of("put", "objects of %s, %s in all, into store '%s'".formatted(io, size, name), url.toString())
                .then("delete", "these objects", "");
    }

    @Override
    public final Rows<Measurement> run(Session session) throws Exception {
        var name = store();
        List<Measurement> rows;
        var volumes = session.service(Volumes.class);
        var url = volumes.stores().find(name).url().toString();
        var prefix = "bench-" + UUID.randomUUID().toString().substring(0, 8);
        try (AutoCloseable _ = () -> volumes.stores().tidy(name, prefix);
                var store = new Prefixed(volumes.stores().open(name), prefix);
                var progress = session.progress("bench", -1)) {
            rows = new StoreBench(store, terms(session, progress::add), Math.toIntExact(part.bytes())).run();
        }
        session.cancellation().check();
        var run = Kept.runs(session).add(session.clock().instant(), "store", url, Facts.of(terms(session, _ -> { })),
                rows);
        session.say("saved as " + run.id());
        return Rows.of(Kept.ROWS, rows);
    }

    private Terms terms(Session session, java.util.function.LongConsumer progress) {
        long most = MEMORY / io.bytes() - 1;
        if (threads > most) {
            throw CommandFailure.usage("--threads %d with --io %s needs more than %s of memory (try %s)"
                    .formatted(threads, io, new ByteSize(MEMORY), most < 1 ? "--io 64MiB" : "--threads " + most));
        }
        return new Terms(Path.of("").toAbsolutePath(), size, io, threads, Optional.empty(), false, 1,
                session.cancellation()::requested, progress);
    }
}
