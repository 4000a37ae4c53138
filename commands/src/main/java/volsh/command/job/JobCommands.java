package volsh.command.job;

import java.util.List;
import java.util.function.Supplier;
import volsh.command.run.CommandTree;
import volsh.command.run.Node;

/** The commands of this package. */
public final class JobCommands {
    private JobCommands() {}

    /** {@code tree} knows the commands that can be started. */
    public static List<Node> nodes(Supplier<CommandTree> tree) {
        return List.of(Node.group("job", "Run commands that outlive the terminal; list, await and stop them.",
                Node.command("start", () -> new JobStart(tree)),
                Node.command("list", JobList::new).alias("ls"),
                Node.command("show", JobShow::new),
                Node.command("wait", JobWait::new),
                Node.command("log", JobLog::new),
                Node.command("cancel", JobCancel::new),
                Node.command("forget", JobForget::new).alias("rm")));
    }
}
