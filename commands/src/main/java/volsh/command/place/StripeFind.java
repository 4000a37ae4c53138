package volsh.command.place;

import java.util.ArrayList;
import java.util.Arrays;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.catalog.Access;
import volsh.catalog.VolumePath;
import volsh.command.Action;
import volsh.command.Listing;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.fs.ShellWord;
import volsh.place.Layout;

@Command(name = "find", description = "Find files below a directory by the store or the layout of their blocks.")
@Examples({"volsh stripe find big:/ --store s2", "volsh stripe find big:/ --layout mirror:2 -o name"})
final class StripeFind implements Action<Rows<StripeList.Row>>, Listing {
    @Parameters(paramLabel = "VOL:/PATH", description = "Directory or file.")
    private String place;

    @Option(names = "--store", paramLabel = "STORE", description = "Find files with blocks in this store.")
    private String store;

    @Option(names = "--layout", paramLabel = "LAYOUT",
            description = "Find files with blocks of this layout: stripe:4, mirror:2, ec:4+2.")
    private String layout;

    @Override
    public Columns<?> columns() {
        return StripeList.COLUMNS;
    }

    @Override
    public Rows<StripeList.Row> run(Session session) throws Exception {
        if (store == null && layout == null) {
            throw CommandFailure.usage("missing --store or --layout")
                    .hint("volsh stripe find " + ShellWord.of(place) + " --store s2");
        }
        String wanted = layout == null ? null : Layout.of(layout).toString();
        var path = VolumePath.of(place);
        var rows = new ArrayList<StripeList.Row>();
        try (var caring = new Caring(session, path.volume(), Access.READ, "stripe find")) {
            Caring.files(caring.volume(), path, (name, file) -> {
                var row = StripeList.row(caring, name, file);
                boolean there = store == null || Arrays.asList(row.stores().split(",")).contains(store);
                if (there && (wanted == null || Arrays.asList(row.written().split(" ")).contains(wanted))) {
                    rows.add(row);
                }
            });
        }
        return Rows.of(StripeList.COLUMNS, rows);
    }
}
