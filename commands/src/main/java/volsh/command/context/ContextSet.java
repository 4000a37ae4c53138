package volsh.command.context;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.catalog.Home;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;

@Command(name = "set", description = {"Name this home; prompts show the name.",
        "With --protected the name is red, and at a terminal every change asks first (-y answers). Scripts and pipes"
                + " are not asked."})
@Examples({"volsh context set lab", "volsh context set prod --protected"})
final class ContextSet implements Mutation<Rows<Context>> {
    @Parameters(paramLabel = "NAME", description = "Name of this home.")
    private String name;

    @Option(names = "--protected", description = "Ask before every change.")
    private boolean guarded;

    @Override
    public Columns<?> columns() {
        return ContextCommands.COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var context = new Context(name, guarded);
        boolean same = Context.of(session.service(Home.class)).filter(context::equals).isPresent();
        return same ? Plan.NOTHING : Plan.of("name", "this home '%s'".formatted(name), guarded ? "protected" : "");
    }

    @Override
    public Rows<Context> run(Session session) throws Exception {
        var context = new Context(name, guarded);
        context.keep(session.service(Home.class));
        session.say("named this home '%s'%s".formatted(name, guarded ? " and protected it" : ""));
        return Rows.one(ContextCommands.COLUMNS, context).told();
    }
}
