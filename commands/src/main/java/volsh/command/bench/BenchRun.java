package volsh.command.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.bench.BenchProfile;
import volsh.bench.Facts;
import volsh.bench.Measurement;
import volsh.bench.Terms;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.unit.ByteSize;
import volsh.unit.Span;

@Command(name = "run", description = {"Measure a directory (mount, disk, network file system) or an existing file.",
        "Writes to a temporary directory there, removed afterwards; a file is only read, so that other tools can be"
                + " measured on the same file. Reads called cold begin with the file dropped from the page cache;"
                + " meta drops all cached names, which only root can do. Every operation is timed; the result is"
                + " saved, see volsh bench list.",
        "Profiles: seqwrite (write, fsync at the end), seqread (cold, then again), randread, qd (random reads by 1 to"
                + " 64 threads), fsync (a write alone, and with fsync), direct (through the page cache and past it),"
                + " mmap (read and mapped memory), meta (mdtest's phases: create, stat, open, list and remove"
                + " directories and empty files); loader, cache, epochs, layout, store, compress and checkpoint have"
                + " their own options.",
        "At full speed, latency counts from the end of the previous operation. With --pace it counts from when the"
                + " operation was due, so that a stalled operation delays all operations behind it (corrected for"
                + " coordinated omission). At a terminal a chart precedes the table."})
@Examples({"volsh bench run seqread --on . --size 8MiB", "volsh bench run randread --on . --size 8MiB --io 4KiB "
        + "--threads 4 --duration 1s", "volsh bench run fsync --on . --size 400KiB --pace 500 --duration 200ms",
        "volsh bench run meta --on . --size 400KiB --io 4KiB -o json",
        "volsh bench run randread --on dataset/a.tar --duration 200ms"})
final class BenchRun implements Mutation<Rows<Measurement>> {
    private static final int SMALL = 4096;

    @Parameters(arity = "0..1", paramLabel = "PROFILE", description = "Profile to measure: ${COMPLETION-CANDIDATES}.")
    private @Nullable BenchProfile profile;

    @Option(names = "--on", paramLabel = "VOLUME|DIRECTORY",
            description = "Measure this directory or mounted volume; profiles that only read also accept a file.")
    private @Nullable Path target;

    @Option(names = "--size", paramLabel = "SIZE",
            description = "Set the data over all threads (default: 1GiB, or the whole file).")
    private @Nullable ByteSize size;

    @Option(names = "--io", paramLabel = "SIZE",
            description =
                    "Set the bytes per operation (default: 1MiB, but 4KiB for randread, qd, fsync, mmap and meta).")
    private @Nullable ByteSize io;

    @Option(names = {"-t", "--threads"}, paramLabel = "N", defaultValue = "1",
            description = "Run this many threads (default: ${DEFAULT-VALUE}).")
    private int threads;

    @Option(names = "--duration", paramLabel = "TIME",
            description = "Stop each phase after this time instead of at the end of the data.")
    private @Nullable Span duration;

    @Option(names = "--pace", paramLabel = "N",
            description = "Limit the operations per second of all threads (default: no limit).")
    private double pace = Double.POSITIVE_INFINITY;   // no limit

    @Option(names = "--direct", description = "Bypass the page cache (O_DIRECT).")
    private boolean direct;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1",
            description = "Seed data and order (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Override
    public Columns<?> columns() {
        return Kept.ROWS;
    }

    @Override
    public Plan plan(Session session) {
        var terms = terms(session, _ -> { });
        if (Files.isRegularFile(terms.directory())) {
            return Plan.NOTHING;
        }
        return Plan.of("write", "up to %s below %s".formatted(terms.size(), target),
                "%s, removed afterwards".formatted(name()));
    }

    @Override
    public Rows<Measurement> run(Session session) throws Exception {
        List<Measurement> rows;
        try (var progress = session.progress("bench", -1)) {
            rows = profile().run(terms(session, progress::add));
        }
        session.cancellation().check();
        var terms = terms(session, _ -> { });
        Kept.add(session, name(), terms.directory(), Facts.of(terms), rows);
        Kept.chart(session, rows, false);
        return Rows.of(Kept.ROWS, rows);
    }

    private BenchProfile profile() {
        if (profile == null) {     // optional for the parser, because the subcommands have their own
            throw missing();
        }
        return profile;
    }

    private static CommandFailure missing() {
        return CommandFailure.usage("missing profile or --on").hint("volsh bench run seqread --on .")
                .hint("volsh help bench run");
    }

    private String name() {
        return profile().name().toLowerCase(java.util.Locale.ROOT);
    }

    private Path where(Session session) {
        if (target == null) {
            throw missing();
        }
        if (!Files.isRegularFile(target)) {
            return Kept.directory(session, target);
        }
        if (profile().writes()) {
            throw CommandFailure.usage("profile %s writes: --on must be a directory, and %s is a file"
                    .formatted(name(), target));
        }
        return target;
    }

    private ByteSize size(Path where) {
        try {
            long there = Files.isRegularFile(where) ? Files.size(where) : Long.MAX_VALUE;
            if (size != null && size.bytes() > there) {
                throw CommandFailure.usage("%s has %s, less than --size %s".formatted(where, new ByteSize(there),
                        size));
            }
            return size != null ? size : new ByteSize(there == Long.MAX_VALUE ? ByteSize.GIB : there);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private Terms terms(Session session, java.util.function.LongConsumer progress) {
        var where = where(session);
        var each = io != null ? io : switch (profile()) {
            case SEQWRITE, SEQREAD, DIRECT -> new ByteSize(ByteSize.MIB);
            case RANDREAD, QD, FSYNC, MMAP, META -> new ByteSize(SMALL);
        };
        return new Terms(where, size(where), each, threads, Optional.ofNullable(duration).map(Span::duration),
                direct, seed, session.cancellation()::requested, progress)
                .paced(Double.isInfinite(pace) ? OptionalDouble.empty() : OptionalDouble.of(pace));
    }
}
