package volsh.command.context;

import java.util.List;
import picocli.CommandLine.Command;
import volsh.catalog.Home;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.Tabular;
import volsh.command.render.Columns;
import volsh.command.render.Rows;

@Command(name = "show", description = "Show the name of this home, and whether it is protected.")
@Examples("volsh context show")
final class ContextShow implements Action<Rows<Context>>, Tabular {
    @Override
    public Columns<?> columns() {
        return ContextCommands.COLUMNS;
    }

    @Override
    public Rows<Context> run(Session session) throws Exception {
        var context = Context.of(session.service(Home.class));
        return context.isPresent() ? Rows.one(ContextCommands.COLUMNS, context.get())
                : Rows.of(ContextCommands.COLUMNS, List.of());
    }
}
