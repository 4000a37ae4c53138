package volsh.command.system;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
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
import volsh.system.HeldLimits;
import volsh.system.MemoryInfo;
import volsh.unit.ByteSize;

@Command(name = "tune", description = {"Set the kernel's limits of dirty bytes, so that a checkpoint does not stall.",
        "Shows the current limits and those for a checkpoint of --size: as much in memory as 60 % of what is"
                + " available allows, with the disk at work from a twentieth of that on. STALLED is the part of the"
                + " checkpoint that has to wait for the disk.",
        "Changes nothing without --apply. With it the limits hold until Ctrl-C, or until --while COMMAND ends; then"
                + " the old limits are restored. The next --apply, or --restore, restores what a killed process left."
                + " More dirty bytes are more that a power loss takes: fsync, or volsh checkpoint save, still say"
                + " when a checkpoint is safe."})
@Examples({"volsh sys tune --size 130GB", "volsh sys tune --size 130GB --apply --while ./train.sh --dry-run",
        "volsh sys tune --restore --dry-run"})
final class SysTune implements Mutation<Rows<SysTune.Row>> {
    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .text("when", Row::when)
            .bytes("background", row -> row.limits().background())
            .bytes("blocking", row -> row.limits().blocking())
            .bytes("stalled", Row::stalled);

    @Option(names = "--size", paramLabel = "SIZE", description = "Set the checkpoint size.")
    private @Nullable ByteSize size;

    @Option(names = "--apply", description = "Set the limits, and restore the old ones at the end. Needs root.")
    private boolean apply;

    @Option(names = "--while", paramLabel = "COMMAND",
            description = "With --apply: run this in a shell, under the new limits.")
    private @Nullable String command;

    @Option(names = "--restore", description = "Restore the limits that a killed sys tune left changed. Needs root.")
    private boolean restore;

    /** The limits before and after, and the part of the checkpoint that has to wait. */
    record Row(String when, DirtyLimits limits, ByteSize stalled) {}

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        if (restore && (size != null || apply || command != null)) {
            throw CommandFailure.usage("--restore excludes all other options");
        }
        if (restore) {
            var left = HeldLimits.leftBehind(HeldLimits.RECORD);
            return left.isEmpty() ? Plan.NOTHING : Plan.of("restore", "limits of dirty pages", left.get().toString());
        }
        size();
        if (command != null && !apply) {
            throw CommandFailure.usage("--while needs --apply");
        }
        var wanted = wanted();
        return !apply ? Plan.NOTHING
                : Plan.of("set", "vm.dirty_background_bytes", wanted.background().toString())
                        .then("set", "vm.dirty_bytes", wanted.blocking().toString())
                        .then("restore", "both", command == null ? "at Ctrl-C" : "when the command ends");
    }

    private ByteSize size() {
        if (size == null) {
            throw CommandFailure.usage("missing --size: the size of a checkpoint");
        }
        return size;
    }

    private DirtyLimits wanted() throws IOException {
        return DirtyLimits.forCheckpoint(size(), MemoryInfo.read(SystemCommands.PROC));
    }

    @Override
    public Rows<Row> run(Session session) throws Exception {
        plan(session);
        if (restore) {
            return restored(session);
        }
        if (!apply) {
            SystemCommands.warnOfChangedLimits(session);
            return rows("proposed", DirtyLimits.read(SystemCommands.PROC), wanted());
        }
        return applied(session);
    }

    private Rows<Row> applied(Session session) throws Exception {
        DirtyLimits now;
        var wanted = wanted();
        int status;
        try (var held = take(session)) {
            now = DirtyLimits.read(SystemCommands.PROC);
            status = hold(session, held, wanted);
        }
        session.say("restored the previous limits");
        session.cancellation().check();
        if (status != 0) {
            throw CommandFailure.of(ExitCode.FAILED, "SYS-0003", "the command exited with %d".formatted(status));
        }
        return rows("was set", now, wanted);
    }

    private Rows<Row> rows(String when, DirtyLimits now, DirtyLimits wanted) {
        return Rows.of(COLUMNS, List.of(new Row("now", now, now.stalled(size())),
                new Row(when, wanted, wanted.stalled(size()))));
    }

    private Rows<Row> restored(Session session) throws Exception {
        try (var held = take(session)) {
            if (held.left().isEmpty()) {
                session.say("nothing to restore");
            }
        }
        return Rows.one(COLUMNS, new Row("now", DirtyLimits.read(SystemCommands.PROC), new ByteSize(0)));
    }

    private static HeldLimits take(Session session) throws IOException {
        try {
            var held = HeldLimits.take(SystemCommands.PROC, HeldLimits.RECORD);
            held.left().ifPresent(left -> session.say("restored the limits that a killed process left changed: "
                    + left));
            return held;
        } catch (HeldLimits.BusyException busy) {
            throw CommandFailure.of(ExitCode.BUSY, "SYS-0006", busy.getMessage())
                    .hint("wait for the other volsh sys tune to end");
        } catch (IOException notAllowed) {
            throw refused(notAllowed);
        }
    }

    private static CommandFailure refused(IOException notAllowed) {
        return CommandFailure.of(ExitCode.PERMISSION, "SYS-0002",
                "cannot set the limits of dirty pages: " + notAllowed.getMessage()).hint("run the command as root");
    }

    /** @return the command's exit code */
    private int hold(Session session, HeldLimits held, DirtyLimits wanted) throws Exception {
        try {
            held.apply(wanted);
        } catch (IOException notAllowed) {
            throw refused(notAllowed);
        }
        try (var _ = session.cancellation().interrupting()) {
            session.say(command == null ? "limits are set until Ctrl-C" : "limits are set while this command runs: "
                    + command);
            return command == null ? untilStopped() : ended(command);
        } catch (InterruptedException stopped) {
            return 0;
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
