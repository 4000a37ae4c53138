package volsh.command.trace;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.command.Action;
import volsh.command.Listing;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.trace.Event;
import volsh.trace.Trace;
import volsh.unit.ByteSize;
import volsh.unit.Span;

@Command(name = "show", description = {"Show the operations of a trace with their times.",
        "With --files: the requests to each file, the most read first. With --events: every request, in order of"
                + " arrival."})
@Examples({"volsh trace show job.trace", "volsh trace show job.trace --files",
        "volsh trace show job.trace --events -o jsonl"})
final class TraceShow implements Action<Rows<?>>, Listing {
    private static final Columns<Operation> OPERATIONS = Columns.of(Operation.class)
            .text("operation", Operation::name)
            .number("count", Operation::count)
            .number("failed", Operation::failed)
            .bytes("bytes", Operation::bytes)
            .span("mean", Operation::mean)
            .span("p50", Operation::p50)
            .span("p99", Operation::p99)
            .span("max", Operation::max)
            .span("total", Operation::total);
    private static final Columns<OfFile> FILES = Columns.of(OfFile.class)
            .text("path", OfFile::path)
            .number("requests", OfFile::requests)
            .number("opens", OfFile::opens)
            .bytes("read", OfFile::read)
            .bytes("written", OfFile::written)
            .span("time", OfFile::time);
    private static final Columns<Event> EVENTS = Columns.of(Event.class)
            .span("at", event -> Duration.ofNanos(event.asked().begin()))
            .span("took", event -> Duration.ofNanos(event.asked().took()))
            .number("process", event -> event.asked().process())
            .text("operation", Event::operation)
            .text("path", Event::path)
            .number("offset", event -> event.asked().offset())
            .number("size", event -> event.asked().size())
            .number("result", event -> event.asked().result())
            .number("error", event -> event.asked().errno())
            .text("other", Event::otherPath).wide();

    @Parameters(paramLabel = "FILE", description = "File that volsh trace record wrote.")
    private Path file;

    @Option(names = "--files", description = "Show a row per file.")
    private boolean files;

    @Option(names = "--events", description = "Show a row per request.")
    private boolean events;

    /** An operation of a trace. */
    record Operation(String name, long count, long failed, ByteSize bytes, Duration mean, Duration p50, Duration p99,
            Duration max, Duration total) {}

    /** A file or directory of a trace. */
    record OfFile(String path, long requests, long opens, ByteSize read, ByteSize written, Duration time) {}

    @Override
    public Columns<?> columns() {
        return events ? EVENTS : files ? FILES : OPERATIONS;
    }

    @Override
    public Rows<?> run(Session session) throws Exception {
        if (events && files) {
            throw CommandFailure.usage("--files and --events exclude each other");
        }
        var trace = TraceFile.read(file, session);
        session.say("%s, %d requests in %s".formatted(trace.header().getOrDefault("source", "unknown"),
                trace.events().size(), new Span(Duration.ofMillis(trace.nanos() / 1_000_000))));
        return events ? Rows.of(EVENTS, trace.events()) : files ? Rows.of(FILES, files(trace))
                : Rows.of(OPERATIONS, operations(trace));
    }

    private static List<Operation> operations(Trace trace) {
        Map<String, List<Event>> kinds = trace.events().stream()
                .collect(Collectors.groupingBy(Event::operation, TreeMap::new, Collectors.toList()));
        var rows = new ArrayList<Operation>();
        kinds.forEach((name, all) -> {
            long[] times = all.stream().mapToLong(event -> event.asked().took()).sorted().toArray();
            long total = Arrays.stream(times).sum();
            rows.add(new Operation(name, all.size(), all.stream().filter(Event::failed).count(),
                    new ByteSize(all.stream().filter(event -> event.isRead() || event.isWrite()).mapToLong(event ->
                            event.asked().result()).sum()),
                    Duration.ofNanos(total / times.length), at(times, 0.5), at(times, 0.99), at(times, 1),
                    Duration.ofNanos(total)));
        });
        rows.sort(Comparator.comparing(Operation::total).reversed());
        return rows;
    }

    private static Duration at(long[] sorted, double part) {
        return Duration.ofNanos(sorted[Math.max(0, (int) Math.ceil(sorted.length * part) - 1)]);
    }

    private static List<OfFile> files(Trace trace) {
        Map<String, List<Event>> paths = trace.events().stream()
                .collect(Collectors.groupingBy(Event::path, TreeMap::new, Collectors
                .toList()));
        var rows = new ArrayList<OfFile>();
        paths.forEach((path, all) -> rows.add(new OfFile(path.isEmpty() ? "." : path, all.size(),
                all.stream().filter(event -> event.operation().equals("open") || event.operation().equals("create"))
                        .count(),
                new ByteSize(all.stream().filter(Event::isRead).mapToLong(event -> event.asked().result()).sum()),
                new ByteSize(all.stream().filter(Event::isWrite).mapToLong(event -> event.asked().result()).sum()),
                Duration.ofNanos(all.stream().mapToLong(event -> event.asked().took()).sum()))));
        rows.sort(Comparator.comparing(OfFile::read).thenComparing(OfFile::written).thenComparingLong(OfFile::requests)
                .reversed());
        return rows;
    }
}
