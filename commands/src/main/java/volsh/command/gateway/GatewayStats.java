package volsh.command.gateway;

import java.util.ArrayList;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.Tabular;
import volsh.command.render.Columns;
import volsh.command.render.Rows;

@Command(name = "stats", description = {"Show how often each call was answered, and why requests were refused.",
        "Counts since the gateway started, at most a second old."})
@Examples("volsh gateway stats")
final class GatewayStats implements Action<Rows<GatewayStats.Count>>, Tabular {
    /** How often a gateway did something. */
    record Count(String url, String kind, String name, long count) {
        static final Columns<Count> COLUMNS = Columns.of(Count.class)
                .text("url", Count::url)
                .text("kind", Count::kind)
                .text("name", Count::name)
                .number("count", Count::count);
    }

    @Parameters(paramLabel = "GATEWAY", arity = "0..1",
            description = "Port, URL or process number of a gateway (default: all).")
    private String gateway;

    @Override
    public Columns<?> columns() {
        return Count.COLUMNS;
    }

    @Override
    public Rows<Count> run(Session session) throws Exception {
        var counts = new ArrayList<Count>();
        for (var each : gateway == null ? GatewayViews.all(session)
                : java.util.List.of(GatewayViews.find(session, gateway))) {
            each.calls().forEach((name, count) -> counts.add(new Count(each.url(), "call", name, count)));
            each.refusals().forEach((name, count) -> counts.add(new Count(each.url(), "refusal", name, count)));
        }
        return Rows.of(Count.COLUMNS, counts);
    }
}
