package volsh.command.file;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.catalog.Access;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.Tabular;
import volsh.command.file.OpenVolumes.Spot;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.fs.Attributes;

@Command(name = "stat", description = {"Show all attributes of files of a volume.",
        "ALLOCATED excludes holes; VERSION grows with every change of the content. Shows a link itself unless -L is"
                + " given."})
@Examples({"volsh stat training-data:/dataset/a.tar", "volsh stat --extents training-data:/dataset/a.tar -o json"})
final class Stat implements Action<Rows<Stat.Row>>, Tabular {
    @Parameters(paramLabel = "VOL:/PATH", arity = "1..*", description = "Files and directories.")
    private List<String> places;

    @Option(names = {"-L", "--dereference"}, description = "Follow links.")
    private boolean follow;

    @Option(names = "--extents",
            description = "Also show extents of the file and the stored blocks that hold them.")
    private boolean extents;

    @Mixin
    private AtOption at;

    /** A file with the names of its owner and group, its link target, and its stored blocks. */
    record Row(String path, Attributes file, String owner, String group, Optional<String> target, Layout layout) {}

    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .text("path", Row::path)
            .text("type", row -> Kinds.word(row.file().kind()))
            .bytes("size", row -> row.file().size())
            .bytes("allocated", row -> row.file().allocated())
            .number("inode", row -> row.file().ino())
            .number("links", row -> row.file().links())
            .text("mode", row -> Modes.text(row.file()))
            .text("permissions", row -> Modes.octal(row.file().mode()))
            .text("owner", Row::owner)
            .text("group", Row::group)
            .number("uid", row -> row.file().uid())
            .number("gid", row -> row.file().gid())
            .time("modified", row -> Times.of(row.file().mtime()))
            .time("changed", row -> Times.of(row.file().ctime()))
            .time("accessed", row -> Times.of(row.file().atime()))
            .number("modifiedNanos", row -> row.file().mtime()).wide()
            .number("changedNanos", row -> row.file().ctime()).wide()
            .number("accessedNanos", row -> row.file().atime()).wide()
            .number("version", row -> row.file().version())
            .number("device", row -> row.file().device()).wide()
            .text("target", Row::target);

    private static final Columns<Row> WITH_EXTENTS = COLUMNS
            .bytes("inline", row -> row.layout().inlineBytes())
            .bytes("stored", row -> row.layout().storedBytes())
            .bytes("imported", row -> row.layout().importedBytes())
            .number("blocks", row -> row.layout().blocks())
            .text("extents", row -> row.layout().extents());

    @Override
    public Columns<?> columns() {
        return WITH_EXTENTS;
    }

    @Override
    public Rows<Row> run(Session session) throws Exception {
        var accounts = new Accounts();
        var rows = new ArrayList<Row>();
        try (var volumes = new OpenVolumes(session, Access.NAMES, "stat")) {
            for (String place : places) {
                rows.add(row(volumes.find(at.place(session, place), follow), accounts));
            }
        }
        var columns = extents ? WITH_EXTENTS : COLUMNS;
        return rows.size() == 1 ? Rows.one(columns, rows.getFirst()) : Rows.of(columns, rows);
    }

    private Row row(Spot spot, Accounts accounts) throws IOException {
        var file = spot.attributes();
        var layout = extents && file.isRegular() ? Layout.of(spot.volume().vfs(), file) : Layout.NONE;
        return new Row(spot.toString(), file, accounts.user(file.uid()), accounts.group(file.gid()),
                FileRow.target(spot.volume(), file), layout);
    }
}
