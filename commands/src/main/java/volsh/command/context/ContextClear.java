package volsh.command.context;

import picocli.CommandLine.Command;
import volsh.catalog.Home;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.render.Columns;

@Command(name = "clear", description = "Remove the name of this home, and its protection.")
@Examples("volsh context clear")
final class ContextClear implements Mutation<Void> {
    @Override
    public Columns<?> columns() {
        return Columns.NONE;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        return Context.of(session.service(Home.class)).map(context -> Plan.of("forget", "the name '%s'"
                .formatted(context.name()), context.isProtected() ? "and its protection" : "")).orElse(Plan.NOTHING);
    }

    @Override
    public Void run(Session session) throws Exception {
        Context.forget(session.service(Home.class));
        session.say("this home has no name");
        return null;
    }
}
