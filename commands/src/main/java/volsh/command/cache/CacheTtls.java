package volsh.command.cache;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.command.Action;
import volsh.command.Listing;
import volsh.command.Examples;
import volsh.command.Outcome;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.command.volume.EachVolume;
import volsh.volume.Volumes;

@Command(name = "ttls", description = {"List the paths whose data expires from caches, as set by 'volsh cache ttl'.",
        "A volume that cannot be read gives a warning and exit 10; the others are listed."})
@Examples({"volsh cache ttls", "volsh cache ttls training-data -o json"})
final class CacheTtls implements Action<Outcome<Rows<CacheTtls.Row>>>, Listing {
    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .text("volume", Row::volume)
            .text("path", Row::path)
            .span("time", Row::time);

    @Parameters(arity = "0..*", paramLabel = "VOLUME", description = "Volumes (default: all).")
    private List<String> names = List.of();

    record Row(String volume, String path, Duration time) {}

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Outcome<Rows<Row>> run(Session session) throws Exception {
        var volumes = session.service(Volumes.class);
        var rows = new ArrayList<Row>();
        var code = EachVolume.ask(session, names, name -> volumes.settings().cacheLifetimes(name)
                .forEach(rule -> rows.add(new Row(name, rule.path(), rule.time()))));
        return new Outcome<>(Rows.of(COLUMNS, rows), code);
    }
}
