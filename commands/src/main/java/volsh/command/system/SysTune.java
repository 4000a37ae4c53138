package volsh.command.system;

import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.system.DirtyLimits;
import volsh.system.Memory;
import volsh.unit.ByteSize;

@Command(name = "tune", description = {"Set how many unwritten bytes the kernel lets stand, so that a checkpoint does not stall its job.",
        "Shows the limits as they are and as a checkpoint of --size wants them: as much in memory as 60 % of what is available allows, the disk"
                + " at work from a twentieth of that on. STALLED is what of the checkpoint would have to wait for the disk.",
        "Changes nothing without --apply. With it the limits hold until Ctrl-C, or until --while COMMAND ends; then the old ones are put back."
                + " More dirty bytes are more that a power loss takes: fsync, or volsh checkpoint save, still say when a checkpoint is safe."})
@Examples({"volsh sys tune --size 130GB", "volsh sys tune --size 130GB --apply --while ./train.sh --dry-run"})
final class SysTune implements Mutation<Rows<SysTune.Row>> {
    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .text("when", Row::when)
            .bytes("background", row -> row.limits().background())
            .bytes("blocking", row -> row.limits().blocking())
            .bytes("stalled", Row::stalled);

    @Option(names = "--size", paramLabel = "SIZE", required = true, description = "The size of a checkpoint.")
    private ByteSize size;

    @Option(names = "--apply", description = "Set the limits, and put the old ones back at the end. Needs root.")
    private boolean apply;

    @Option(names = "--while", paramLabel = "COMMAND", description = "With --apply: run this in a shell, under the new limits.")
    private String command;

    /** The limits before and after, and what of the checkpoint they make wait. */
    record Row(String when, DirtyLimits limits, ByteSize stalled) {}

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        if (command != null && !apply) {
            throw CommandFailure.usage("--while runs a command under new limits: add --apply");
        }
        var wanted = wanted();
        return !apply ? Plan.NOTHING
                : Plan.of("set", "vm.dirty_background_bytes", wanted.background().toString())
                        .then("set", "vm.dirty_bytes", wanted.blocking().toString())
                        .then("put back", "both", command == null ? "at Ctrl-C" : "when the command ends");
    }

    private DirtyLimits wanted() throws IOException {
        return DirtyLimits.forCheckpoint(size, Memory.read(SystemCommands.PROC));
    }

    @Override
    public Rows<Row> run(Session session) throws Exception {
        plan(session);
        var now = DirtyLimits.read(SystemCommands.PROC);
        var wanted = wanted();
        if (apply) {
            hold(session, wanted);
        }
        return Rows.of(COLUMNS, List.of(new Row("now", now, now.stalled(size)), new Row(apply ? "was set" : "proposed", wanted, wanted.stalled(size))));
    }

    private void hold(Session session, DirtyLimits wanted) throws Exception {
        var before = DirtyLimits.Saved.read(SystemCommands.PROC);
        try {
            wanted.apply(SystemCommands.PROC);
        } catch (IOException notAllowed) {
            before.restore(SystemCommands.PROC);
            throw CommandFailure.of(ExitCode.PERMISSION, "SYS-0002", "the limits of dirty pages cannot be set: " + notAllowed.getMessage()).hint("run it as root");
        }
        int status;
        try (var _ = session.cancellation().interrupting()) {
            session.say(command == null ? "limits are set until Ctrl-C" : "limits are set while this runs: " + command);
            status = command == null ? untilStopped() : ended(command);
        } catch (InterruptedException stopped) {
            status = 0;
        } finally {
            before.restore(SystemCommands.PROC);
        }
        session.say("limits are as they were");
        session.cancellation().check();
        if (status != 0) {
            throw CommandFailure.of(ExitCode.FAILED, "SYS-0003", "the command ended with %d".formatted(status));
        }
    }

    private static int untilStopped() throws InterruptedException {
        Thread.sleep(Long.MAX_VALUE);
        return 0;
    }

    private static int ended(String command) throws IOException, InterruptedException {
        var process = new ProcessBuilder("/bin/sh", "-c", command).inheritIO().start();
        try {
            return process.waitFor();
        } catch (InterruptedException stopped) {
            process.destroy();
            process.waitFor();
            throw stopped;
        }
    }
}
