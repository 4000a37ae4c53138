package volsh.command.event;

import java.util.List;
import volsh.command.run.Node;

/** The commands of this package. */
public final class EventCommands {
    private EventCommands() {}

    public static List<Node> nodes() {
        return List.of(Node.command("events", Events::new));
    }
}
