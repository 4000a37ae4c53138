package volsh.command.cache;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Outcome;
import volsh.command.Session;
import volsh.command.cache.Targets.Mounted;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.mount.Mounts;
import volsh.warm.PrefetchStatus;

@Command(name = "prefetch", description = {
        "Have a mount load files shortly before they are read, in the order of a list.",
        "The list has paths within the volume, one per line: a file, a FIFO, or - for standard input, which may be"
                + " written while it is read. Whenever a listed file is opened on the mount, loading continues behind"
                + " it, in memory and, when memory is full, in the cache directories. With a FIFO, waits for a"
                + " program to write to it. Ends when the end of the list is loaded, or with Ctrl-C; exit 10 if"
                + " names match no file."})
@Examples({"volsh prefetch training-data --order order.txt --ahead 64", "volsh prefetch /mnt/data --order -"})
final class PrefetchOrder implements Action<Outcome<Rows<PrefetchOrder.Row>>> {
    private static final long LOOK_NANOS = Duration.ofMillis(50).toNanos();
    /** Letters of the names that go to the mount at a time. */
    private static final int BATCH_LENGTH = 6 << 10;
    private static final int BATCH = 64;

    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .text("mount", Row::mount)
            .number("listed", Row::listed)
            .number("opened", Row::opened)
            .number("loaded", Row::loaded)
            .number("late", Row::late)
            .number("missing", Row::missing);

    @Parameters(paramLabel = "VOLUME|DIRECTORY", description = "Mounted volume, or its mount point.")
    private String place;

    @Option(names = "--order", paramLabel = "FILE", required = true,
            description = "Read the list from this file, or - for standard input.")
    private String order;

    @Option(names = "--ahead", paramLabel = "N", defaultValue = "64",
            description = "Stay this many files ahead of the reader (default: ${DEFAULT-VALUE}).")
    private int ahead;

    /**
     * Names: how many there were, how far the reader came, how many were loaded before him, were not, and lead nowhere.
     */
    record Row(String mount, long listed, long opened, long loaded, long late, long missing) {}

    @Override
    public Outcome<Rows<Row>> run(Session session) throws Exception {
        var mount = mount(session);
        var names = new NameList(order.equals("-") ? session::in : () -> Files.newInputStream(Path.of(order)));
        var status = follow(session, mount, names, new Waiting(session, names, order));
        if (status.missing() > 0) {
            session.warn("%d of %d names match no file of volume '%s'".formatted(
                    status.missing(), status.listed(), mount.record().source().volume()));
        }
        var row = new Row(mount.mountPoint().toString(), status.listed(), status.opened(), status.loaded(),
                status.late(), status.missing());
        return new Outcome<>(Rows.one(COLUMNS, row), status.missing() > 0 ? ExitCode.PARTIAL : ExitCode.OK);
    }

    private Mounted mount(Session session) throws Exception {
        var found = new Targets(session, new CacheChoice()).mounts(List.of(place));
        if (found.size() > 1) {
            throw new Refusal(Reason.CONFLICT, "volume '%s' is mounted %d times".formatted(place, found.size()),
                    "to find the mount point to name instead: volsh mounts list");
        }
        return found.getFirst();
    }

    /** Reports once that the list is empty for a while, because a FIFO without a writer looks like a hanging mount. */
    private static final class Waiting {
        private static final long PATIENCE_NANOS = Duration.ofMillis(500).toNanos();

        private final Session session;
        private final NameList names;
        private final String order;
        private final long since = System.nanoTime();
        private boolean told;

        Waiting(Session session, NameList names, String order) {
            this.session = session;
            this.names = names;
            this.order = order;
        }

        void look(PrefetchStatus status) throws IOException {
            if (told || status.listed() > 0 || names.isEmpty()) {
                told = true;
            } else if (System.nanoTime() - since > PATIENCE_NANOS) {
                told = true;
                String list = order.equals("-") ? "standard input" : order;
                session.warn(names.isOpen() ? "waiting for names from %s (Ctrl-C stops)".formatted(list)
                        : "waiting for a program to open FIFO %s for writing (Ctrl-C stops)".formatted(list));
            }
        }
    }

    private PrefetchStatus follow(Session session, Mounted mount, NameList names, Waiting waiting) throws Exception {
        var mounts = session.service(Mounts.class);
        long number = mounts.prefetch(mount.mountPoint(), ahead);
        try (var progress = session.progressOfItems("prefetch", -1)) {
            var status = mounts.addNames(mount.mountPoint(), number, List.of());
            boolean complete = false;
            long shown = 0;
            while (!status.over()) {
                session.cancellation().check();
                status = feed(mounts, mount, number, names, status);
                waiting.look(status);
                if (!complete && names.isEmpty()) {
                    mounts.completeNames(mount.mountPoint(), number);
                    progress.total(status.listed());
                    complete = true;
                }
                progress.add(status.loaded() + status.late() + status.missing() - shown);
                shown = status.loaded() + status.late() + status.missing();
            }
            return status;
        } catch (IOException | RuntimeException stopped) {
            mounts.cancelJob(mount.mountPoint(), number);
            throw stopped;
        }
    }

    /** Passes on what names there are, as far as they are wanted; waits a moment if there is nothing to do. */
    private static PrefetchStatus feed(Mounts mounts, Mounted mount, long number, NameList names, PrefetchStatus before)
            throws IOException {
        var next = names.take(Math.min(before.wanted(), BATCH));
        if (next.isEmpty()) {
            LockSupport.parkNanos(LOOK_NANOS);
        }
        var status = before;
        int from = 0;
        for (int to = 0, length = 0; to <= next.size(); to++) {
            if (to == next.size() || length + next.get(to).length() > BATCH_LENGTH && to > from) {
                status = mounts.addNames(mount.mountPoint(), number, next.subList(from, to));
                from = to;
                length = 0;
            }
            length += to < next.size() ? next.get(to).length() : 0;
        }
        return status;
    }
}
