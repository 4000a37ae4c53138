package volsh.command.trace;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.catalog.Access;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.Tabular;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.fs.ShellWord;
import volsh.mount.MountRecord;
import volsh.mount.Mounts;
import volsh.mount.Transport;
import volsh.trace.TraceWriter;
import volsh.transfer.Trail;
import volsh.transfer.TreeWalk;
import volsh.unit.ByteSize;
import volsh.unit.Span;
import volsh.volume.Volumes;

@Command(name = "record", description = {"Record what programs ask of a mount, request by request.",
        "Records for each request: arrival and duration, thread, operation, path, offset, length and outcome; no"
                + " data. Ends after --duration, or at Ctrl-C with what was recorded until then. Requests that the"
                + " kernel answers from its page cache do not reach a mount, and so are not in a trace. Costs a mount"
                + " nothing while not recording; at most --buffer requests wait in its memory, and requests above"
                + " that are counted as dropped. Mounts through libfuse (mount --transport jnr) cannot be recorded."})
@Examples({"volsh trace record /mnt/data --out job.trace",
        "volsh trace record /mnt/data --out job.trace --duration 5m -o json"})
final class TraceRecord implements Action<Rows<TraceRecord.Row>>, Tabular {
    private static final Duration BETWEEN = Duration.ofMillis(100);
    private static final int BUFFER_MAX = 10_000_000;
    private static final int WALK_MAX = 5_000_000;
    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .text("file", Row::file)
            .number("requests", Row::requests)
            .number("dropped", Row::dropped)
            .number("nameless", Row::nameless)
            .span("duration", Row::duration)
            .bytes("size", Row::size);

    @Parameters(paramLabel = "MOUNT", description = "Mount point, or a directory below it.")
    private Path directory;

    @Option(names = "--out", paramLabel = "FILE", required = true, description = "Write a new file.")
    private Path out;

    @Option(names = "--duration", paramLabel = "TIME", defaultValue = "30s",
            description = "Record for this long (default: ${DEFAULT-VALUE}).")
    private Span duration;

    @Option(names = "--buffer", paramLabel = "N", defaultValue = "262144",
            description = "Limit the requests that the mount keeps until they are fetched, ten times a second"
                    + " (default: ${DEFAULT-VALUE}).")
    private int buffer;

    /** A recording: {@code nameless} files were in use all the time, and have lost their name. */
    record Row(Path file, long requests, long dropped, long nameless, Duration duration, ByteSize size) {}

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Rows<Row> run(Session session) throws Exception {
        if (buffer < 1 || buffer > BUFFER_MAX) {
            throw CommandFailure.usage("--buffer must be from 1 to %d, not %d".formatted(BUFFER_MAX, buffer));
        }
        var mounts = session.service(Mounts.class);
        var wanted = directory.toAbsolutePath().normalize();
        var point = mounts.mountOf(wanted).orElseThrow(() -> CommandFailure.of(ExitCode.NOT_FOUND, "DOC-0001",
                "%s is not on a mount of this machine".formatted(wanted)).hint("volsh mounts list"));
        if (out.toAbsolutePath().normalize().startsWith(point)) {
            throw CommandFailure.usage("%s is on the recorded mount: choose a file elsewhere".formatted(out));
        }
        var record = mounts.find(point).orElseThrow().record();
        if (record.transport() == Transport.JNR) {
            throw CommandFailure.of(ExitCode.FAILED, "TRC-0006",
                    "%s is mounted through libfuse, which cannot be recorded".formatted(point))
                    .hint("volsh umount %s && volsh mount %s %s --transport kernel"
                            .formatted(ShellWord.of(point), ShellWord.of(record.source().toString()),
                            ShellWord.of(point)));
        }
        var made = record(session, mounts, record);
        var row = new Row(out, made.requests, made.dropped, made.nameless, made.duration,
                new ByteSize(Files.size(out)));
        session.say("%d requests in %s".formatted(row.requests, new Span(Duration.ofMillis(row.duration.toMillis()))));
        return Rows.one(COLUMNS, row);
    }

    private Row record(Session session, Mounts mounts, MountRecord record) throws Exception {
        if (Files.exists(out)) {
            throw CommandFailure.of(ExitCode.CONFLICT, "TRC-0003", "file exists: '%s'".formatted(out))
                    .hint("volsh trace record %s --out %s".formatted(ShellWord.of(directory),
                            ShellWord.of(out.resolveSibling("new-" + out.getFileName()))));
        }
        var point = record.mountPoint();
        long number = mounts.startRecording(point, buffer);
        long began = System.nanoTime();
        try (var writer = new TraceWriter(out, header(session, record))) {
            fetch(session, () -> mounts.takeRecorded(point, number), writer, began);
            var last = mounts.stopRecording(point, number);
            long nanos = System.nanoTime() - began;
            writer.add(last.requests());
            name(session, record, writer);
            writer.finish(last.dropped(), nanos);
            return new Row(out, writer.count(), last.dropped(), writer.nameless(), Duration.ofNanos(nanos),
                    new ByteSize(0));
        } catch (IOException | RuntimeException failed) {
            try {
                mounts.stopRecording(point, number);
            } catch (IOException over) {
                failed.addSuppressed(over);
            }
            throw failed;
        }
    }

    private Map<String, String> header(Session session, MountRecord record) {
        var header = new LinkedHashMap<String, String>();
        header.put("mount", record.mountPoint().toString());
        header.put("source", record.source().toString());
        header.put("options", record.options());
        header.put("started", session.clock().instant().toString());
        return header;
    }

    /** The events recorded since the last call. */
    private interface Taking {
        Mounts.Recorded take() throws IOException;
    }

    private void fetch(Session session, Taking recording, TraceWriter writer, long began) throws IOException {
        long deadline = began + duration.duration().toNanos();
        try (var progress = session.progress("record", -1)) {
            for (long left = deadline - System.nanoTime(); left > 0
                    && !session.cancellation().requested(); left = deadline - System.nanoTime()) {
                LockSupport.parkNanos(Math.min(left, BETWEEN.toNanos()));
                var some = recording.take().requests();
                writer.add(some);
                progress.add(some.stream()
                        .mapToLong(asked -> asked.operation().equals("read") || asked.operation().equals("write")
                        ? asked.result() : 0).sum());
            }
        }
    }

    /** Files that were known to the kernel before: their names are looked up in the volume. */
    private static void name(Session session, MountRecord record, TraceWriter writer) throws Exception {
        if (writer.nameless() == 0 || record.source().place().isEmpty()) {
            return;
        }
        var name = record.source().volumePath().volume();
        try (var volume = session.service(Volumes.class).open(name, Access.NAMES, "trace")) {
            long root = volume.paths().resolve(record.source().path()).ino();
            var directories = new HashMap<Long, Trail.Found>();
            long[] seen = {0};
            new TreeWalk(volume.vfs()).below(root, found -> {
                if (found.attributes().isDirectory()) {
                    directories.put(found.attributes().ino(), found);
                }
                for (var each = found; each != null && writer.isNameless(each.attributes().ino());
                        each = directories.get(each.parent())) {
                    writer.name(each.attributes().ino(), each.parent() == root ? 1 : each.parent(),
                            each.name().bytes());
                }
                return writer.nameless() > 0 && ++seen[0] < WALK_MAX;
            });
        }
    }
}
