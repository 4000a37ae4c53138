package volsh.command.place;

import java.io.IOException;
import java.util.ArrayList;
import java.util.TreeMap;
import java.util.TreeSet;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.catalog.Access;
import volsh.catalog.VolumePath;
import volsh.command.Action;
import volsh.command.Listing;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.fs.Attributes;
import volsh.unit.ByteSize;

@Command(name = "list", description = {"List the files below a directory with the layouts and stores of their blocks.",
        "LAYOUT is the layout of new blocks, WRITTEN that of existing blocks."})
@Examples({"volsh stripe list big:/", "volsh stripe list big:/ckpt -o json"})
final class StripeList implements Action<Rows<StripeList.Row>>, Listing {
    @Parameters(paramLabel = "VOL:/PATH", description = "Directory or file.")
    private String place;

    record Row(String path, ByteSize size, String layout, String written, String stores, long blocks) {}

    static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .text("path", Row::path)
            .bytes("size", Row::size)
            .text("layout", Row::layout)
            .text("written", Row::written)
            .text("stores", Row::stores)
            .number("blocks", Row::blocks);

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Rows<Row> run(Session session) throws Exception {
        var path = VolumePath.of(place);
        var rows = new ArrayList<Row>();
        try (var caring = new Caring(session, path.volume(), Access.READ, "stripe list")) {
            Caring.files(caring.volume(), path, (name, file) -> rows.add(row(caring, name, file)));
        }
        return Rows.of(COLUMNS, rows);
    }

    static Row row(Caring caring, String path, Attributes file) throws IOException {
        var repair = caring.volume().spot().orElseThrow().store().repair();
        var names = new TreeMap<Integer, String>();
        caring.volume().spot().orElseThrow().store().members().entries()
                .forEach(entry -> names.put(entry.number(), entry.name()));
        var written = new TreeSet<String>();
        var stores = new TreeSet<Integer>();
        var used = caring.care().blocks(file.ino());
        for (var block : used) {
            var arrangement = repair.arrangementOf(block.row().layout());
            written.add(arrangement.layout().toString());
            arrangement.parts(block.row().id()).forEach(part -> stores.add(part.store()));
        }
        return new Row(path, new ByteSize(file.size()),
                StripeGet.policy(caring.volume(), file.ino()).toString(), String.join(" ", written),
                String.join(",", stores.stream().map(number -> names.getOrDefault(number, "?")).toList()), used.size());
    }
}
