package volsh.command.system;

import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.command.Action;
import volsh.command.Listing;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.system.DiskActivity;
import volsh.system.DiskCounters;
import volsh.unit.Percent;
import volsh.unit.Span;

@Command(name = "iostat", description = {"Show the activity of this machine's block devices.",
        "Over --interval: requests and bytes per second, milliseconds per request including the wait in the queue"
                + " (r-await, w-await), mean size, requests under way (queue), and the share of time in which any was"
                + " (busy): the numbers of iostat -x.",
        "With --explain also shows what they mean for a training job, and what to do. Repeat it with: watch 2s"
                + " iostat, at the prompt."})
@Examples({"volsh iostat", "volsh iostat --interval 500ms --explain", "volsh iostat --interval 200ms --all -o json"})
final class IoStat implements Action<Rows<DiskActivity>>, Listing {
    private static final Columns<DiskActivity> PLAIN = Columns.of(DiskActivity.class)
            .text("device", DiskActivity::device)
            .number("reads", disk -> hundredths(disk.readsPerSecond()))
            .rate("read", disk -> Math.round(disk.readBytesPerSecond()))
            .number("r-await", disk -> hundredths(disk.readAwaitMillis()))
            .bytes("r-size", disk -> Math.round(disk.readRequestBytes()))
            .number("writes", disk -> hundredths(disk.writesPerSecond()))
            .rate("written", disk -> Math.round(disk.writtenBytesPerSecond()))
            .number("w-await", disk -> hundredths(disk.writeAwaitMillis()))
            .bytes("w-size", disk -> Math.round(disk.writeRequestBytes()))
            .number("queue", disk -> hundredths(disk.queue()))
            .number("busy", disk -> new Percent(hundredths(disk.busy() * 100)));
    private static final Columns<DiskActivity> EXPLAINED = PLAIN.text("verdict", disk -> disk.verdict().words());

    @Parameters(arity = "0..*", paramLabel = "DEVICE",
            description = "Devices, named as in /dev (default: those not idle).")
    private List<String> devices;

    @Option(names = "--interval", paramLabel = "TIME", defaultValue = "1s",
            description = "Watch for this long (default: ${DEFAULT-VALUE}).")
    private Span interval;

    @Option(names = "--all", description = "Include idle devices.")
    private boolean all;

    @Option(names = "--explain", description = "Explain the numbers.")
    private boolean explain;

    private static double hundredths(double value) {
        return Math.round(value * 100) / 100.0;
    }

    @Override
    public Columns<?> columns() {
        return explain ? EXPLAINED : PLAIN;
    }

    @Override
    public Rows<DiskActivity> run(Session session) throws Exception {
        if (interval.duration().toMillis() < 10) {
            throw CommandFailure.usage("--interval must be at least 10ms, not %s".formatted(interval));
        }
        var before = DiskCounters.read(SystemCommands.proc(session));
        long began = System.nanoTime();
        for (String device : devices == null ? List.<String>of() : devices) {
            if (!before.containsKey(device)) {
                throw CommandFailure.of(ExitCode.NOT_FOUND, "SYS-0005",
                        "no such device, or it was never used: %s".formatted(device))
                        .hint("volsh iostat --all");
            }
        }
        try (var _ = session.cancellation().interrupting()) {
            Thread.sleep(interval.duration());
        }
        var after = DiskCounters.read(SystemCommands.proc(session));
        var activity = DiskActivity.between(before, after, Duration.ofNanos(System.nanoTime() - began));
        return Rows.of(explain ? EXPLAINED : PLAIN, activity.stream().filter(this::isWanted).toList());
    }

    private boolean isWanted(DiskActivity disk) {
        return devices == null ? all || !disk.isIdle() : devices.contains(disk.device());
    }
}
