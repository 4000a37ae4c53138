package volsh.command.system;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.Tabular;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.system.DirtyLimits;
import volsh.system.MemoryInfo;
import volsh.unit.ByteSize;
import volsh.unit.Span;

@Command(name = "dirty", description = {"Show how many bytes programs have written that are on no disk yet.",
        "DIRTY waits in memory, WRITEBACK is being written; a power loss takes both. Above BACKGROUND the kernel"
                + " writes beside the programs, above BLOCKING writing programs wait.",
        "With --wait: returns when no more than --until are left. That says nothing about one file, as fsync does;"
                + " for a file on a mount use volsh durability wait."})
@Examples({"volsh sys dirty", "volsh sys dirty --wait --until 8GiB --timeout 1m", "volsh sys dirty -o value:dirty"})
final class SysDirty implements Action<Rows<SysDirty.Row>>, Tabular {
    private static final Duration LOOK = Duration.ofMillis(200);
    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .bytes("dirty", row -> row.memory().dirty())
            .bytes("writeback", row -> row.memory().writeback())
            .bytes("background", row -> row.limits().background())
            .bytes("blocking", row -> row.limits().blocking())
            .bytes("cached", row -> row.memory().cached())
            .bytes("available", row -> row.memory().available())
            .span("waited", Row::waited);

    @Option(names = "--wait", description = "Return when no more than --until bytes are left.")
    private boolean wait;

    @Option(names = "--until", paramLabel = "SIZE", defaultValue = "1MiB",
            description = "Set what may be left (default: ${DEFAULT-VALUE}).")
    private ByteSize until;

    @Option(names = "--timeout", paramLabel = "TIME", description = "Give up after this time, with exit code 124.")
    private @Nullable Span timeout;

    /** What memory holds, and under which limits. */
    record Row(MemoryInfo memory, DirtyLimits limits, Duration waited) {}

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Rows<Row> run(Session session) throws Exception {
        long began = System.nanoTime();
        SystemCommands.warnOfChangedLimits(session);
        var memory = MemoryInfo.read(SystemCommands.PROC);
        if (wait && memory.atRisk().compareTo(until) > 0) {
            memory = waited(session, memory, began);
        }
        return Rows.one(COLUMNS, new Row(memory, DirtyLimits.read(SystemCommands.PROC), since(began)));
    }

    private MemoryInfo waited(Session session, MemoryInfo first, long began) throws Exception {
        var memory = first;
        try (var progress = session.progress("dirty", first.atRisk().bytes());
                var _ = session.cancellation().interrupting()) {
            long least = first.atRisk().bytes();
            while (memory.atRisk().compareTo(until) > 0) {
                session.cancellation().check();
                if (timeout != null && since(began).compareTo(timeout.duration()) > 0) {
                    throw CommandFailure.of(ExitCode.TIMEOUT, "SYS-0001",
                            "timed out: %s are still not on disk after %s".formatted(memory.atRisk(), timeout))
                            .hint("volsh iostat --explain");
                }
                Thread.sleep(LOOK);
                memory = MemoryInfo.read(SystemCommands.PROC);
                progress.add(Math.max(0, least - memory.atRisk().bytes()));
                least = Math.min(least, memory.atRisk().bytes());
            }
        }
        return memory;
    }

    private static Duration since(long began) {
        return Duration.ofNanos(System.nanoTime() - began);
    }
}
