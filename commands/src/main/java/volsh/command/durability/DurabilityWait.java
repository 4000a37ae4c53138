package volsh.command.durability;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.catalog.VolumePath;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Rows;
import volsh.mount.Mounts;
import volsh.unit.Span;
import volsh.volume.Durability;
import volsh.volume.Volumes;

@Command(name = "wait", description = {"Wait until files are as safe as requested, and speed it up.",
        "Mounts of the volume on this host write out, store and ship their data. Exit 124 on timeout."})
@Examples("volsh durability wait training-data:/dataset --until stored --timeout 5m")
final class DurabilityWait implements Action<Rows<DurabilityRow>> {
    private static final Duration STEP = Duration.ofSeconds(1);
    private static final long PAUSE_MILLIS = 100;
    /** A working store answers within this time. */
    private static final Duration SOON = Duration.ofSeconds(3);

    @Parameters(arity = "1..*", paramLabel = "VOL:/PATH|DIR",
            description = "Files or directories, as VOLUME:/path or on a mount.")
    private List<String> paths;

    @Option(names = "--until", paramLabel = "STATE", defaultValue = "committed",
            description = "Wait for staged, stored, committed or replicated (default: ${DEFAULT-VALUE}).")
    private Durability.State until;

    @Option(names = "--timeout", paramLabel = "TIME", defaultValue = "5m",
            description = "Wait at most this long (default: ${DEFAULT-VALUE}).")
    private Span timeout;

    @Override
    public Rows<DurabilityRow> run(Session session) throws Exception {
        long end = System.nanoTime() + timeout.duration().toNanos();
        var rows = new ArrayList<DurabilityRow>();
        try (var _ = session.cancellation().interrupting()) {
            for (var word : paths) {
                var path = Files.find(session, word);
                requirePossible(session, path);
                rows.add(new DurabilityRow(word, await(session.service(Mounts.class), path, end)));
            }
        }
        return Rows.of(DurabilityRow.COLUMNS, rows);
    }

    private void requirePossible(Session session, VolumePath path) throws Exception {
        if (until.compareTo(Durability.State.COMMITTED) < 0) {
            return;
        }
        var volumes = session.service(Volumes.class);
        var spec = volumes.find(path.volume());
        if (until == Durability.State.REPLICATED && !volumes.spreading().mayReplicate(spec)) {
            throw CommandFailure.of(ExitCode.CONFLICT, "DUR-0003",
                    "volume '%s' keeps some blocks in one store only: its files are committed at best, never replicated"
                            .formatted(path.volume()))
                    .hint("volsh stripe set --help");
        }
        if (!spec.shipsMetadata() && volumes.database(spec).isEmpty()) {
            throw CommandFailure.of(ExitCode.CONFLICT, "DUR-0002",
                    "volume '%s' does not ship its metadata: its files are stored at best, never committed"
                            .formatted(path.volume()))
                    .hint("volsh volume set %s ship-metadata=on".formatted(path.volume()));
        }
    }

    /** The time for the first check, even if the timeout is shorter. */
    private Durability await(Mounts mounts, VolumePath path, long end) throws Exception {
        var found = within(Math.max(end - System.nanoTime(), SOON.toNanos()), () -> mounts.durability(path))
                .orElseThrow(() -> CommandFailure.of(ExitCode.TIMEOUT, "DUR-0001",
                        "cannot determine the durability of %s within %s: its store does not answer"
                                .formatted(path, timeout)).hint("volsh status"));
        var last = new AtomicReference<>(found);
        var stopped = new AtomicBoolean();
        try {
            return found.isAtLeast(until) ? found
                    : within(end - System.nanoTime(), () -> reach(mounts, path, last, stopped::get))
                    .orElseThrow(() -> tooLate(path, last.get()));
        } finally {
            stopped.set(true);   // an abandoned thread does nothing more
        }
    }

    /** Runs on a thread of its own, which is abandoned after the timeout, because a store may never answer. */
    private static Optional<Durability> within(long nanos, Callable<Durability> work) throws Exception {
        var task = new FutureTask<>(work);
        Thread.ofPlatform().daemon().name("durability").start(task);   // not interrupted: it may read the metadata
        try {
            return Optional.of(task.get(nanos, TimeUnit.NANOSECONDS));
        } catch (TimeoutException over) {
            return Optional.empty();
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof Exception cause ? cause : failed;
        }
    }

    private Durability reach(Mounts mounts, VolumePath path, AtomicReference<Durability> last, BooleanSupplier stopped)
            throws Exception {
        while (!last.get().isAtLeast(until) && !stopped.getAsBoolean()) {
            mounts.hasten(path.volume(), STEP);
            Thread.sleep(PAUSE_MILLIS);
            last.set(mounts.durability(path));
        }
        return last.get();
    }

    private CommandFailure tooLate(VolumePath path, Durability found) {
        return CommandFailure.of(ExitCode.TIMEOUT, "DUR-0001",
                "timed out: %1$s is %2$s after %3$s, not %4$s".formatted(path, found.state(), timeout, until))
                .hint("volsh mounts list");
    }
}
