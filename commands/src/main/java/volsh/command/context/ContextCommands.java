package volsh.command.context;

import java.util.List;
import volsh.command.render.Columns;
import volsh.command.run.Node;

/** The commands of this package. */
public final class ContextCommands {
    static final Columns<Context> COLUMNS = Columns.of(Context.class).text("name", Context::name)
            .text("protected", Context::isProtected);

    private ContextCommands() {}

    public static List<Node> nodes() {
        return List.of(Node.group("context", "Name this home for prompts, and ask before changes in it.",
                Node.command("show", ContextShow::new),
                Node.command("set", ContextSet::new),
                Node.command("clear", ContextClear::new)));
    }
}
