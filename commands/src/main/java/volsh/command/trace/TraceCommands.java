package volsh.command.trace;

import java.util.List;
import volsh.command.run.Node;

/** The commands of this package. */
public final class TraceCommands {
    private TraceCommands() {}

    public static List<Node> nodes() {
        return List.of(Node.group("trace", "Record what programs ask of a mount, and replay it elsewhere.",
                Node.command("record", TraceRecord::new),
                Node.command("show", TraceShow::new),
                Node.command("replay", TraceReplay::new),
                Node.command("predict", TracePredict::new)));
    }
}
