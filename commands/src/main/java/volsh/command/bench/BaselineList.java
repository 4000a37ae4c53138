package volsh.command.bench;

import java.util.ArrayList;
import picocli.CommandLine.Command;
import volsh.bench.Run;
import volsh.command.Action;
import volsh.command.Listing;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;

@Command(name = "list", description = "List baselines and the runs they name.")
@Examples({"volsh bench baseline list", "volsh bench baseline list -o json"})
final class BaselineList implements Action<Rows<BaselineList.Baseline>>, Listing {
    private static final Columns<Baseline> COLUMNS = Columns.of(Baseline.class)
            .text("name", Baseline::name)
            .text("run", baseline -> baseline.run().id())
            .time("when", baseline -> baseline.run().when())
            .text("profile", baseline -> baseline.run().profile())
            .text("target", baseline -> baseline.run().target());

    record Baseline(String name, Run run) {}

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Rows<Baseline> run(Session session) throws Exception {
        var rows = new ArrayList<Baseline>();
        for (String name : Kept.runs(session).baselines()) {
            rows.add(new Baseline(name, Kept.find(session, name)));
        }
        return Rows.of(COLUMNS, rows);
    }
}
