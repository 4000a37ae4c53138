package volsh.command.file;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
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
import volsh.command.object.OpenPlaces;
import volsh.command.object.PlaceFlags;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.fs.Attributes;
import volsh.fs.FileKind;

@Command(name = "stat", description = {"Show all attributes of files of volumes, objects of buckets, and local files.",
        "ALLOCATED excludes holes; VERSION grows with every change of the content. Shows a link itself unless -L is"
                + " given."})
@Examples({"volsh stat training-data:/dataset/a.tar", "volsh stat --extents training-data:/dataset/a.tar -o json",
        "volsh stat s3://training/a.tar -o json"})
final class Stat implements Action<Rows<Stat.Row>>, Tabular {
    @Parameters(paramLabel = "VOL:/PATH", arity = "1..*", description = "Files and directories.")
    private List<String> places;

    @Option(names = {"-L", "--dereference"}, description = "Follow links.")
    private boolean follow;

    @Option(names = "--extents",
            description = "Also show extents of the file and the stored blocks that hold them.")
    private boolean extents;

    @Mixin
    private PlaceFlags s3;

    @Mixin
    private AtOption at;

    /** A file with the names of its owner and group, its link target, and its stored blocks. */
    record Row(String path, Attributes file, String owner, String group, Optional<String> target, Layout layout,
            Optional<String> etag, Map<String, String> metadata) {
        private @Nullable Long posix(long value) {
            return file.ino() == 0 ? null : value;
        }

        private @Nullable Instant time(long nanos) {
            return file.ino() == 0 && nanos == 0 ? null : Times.of(nanos);
        }
    }

    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .text("path", Row::path)
            .text("type", row -> Kinds.word(row.file().kind()))
            .bytes("size", row -> row.file().size())
            .bytes("allocated", row -> row.posix(row.file().allocated()))
            .number("inode", row -> row.posix(row.file().ino()))
            .number("links", row -> row.posix(row.file().links()))
            .text("mode", row -> row.file().ino() == 0 ? "" : Modes.text(row.file()))
            .text("permissions", row -> row.file().ino() == 0 ? "" : Modes.octal(row.file().mode()))
            .text("owner", Row::owner)
            .text("group", Row::group)
            .number("uid", row -> row.posix(row.file().uid()))
            .number("gid", row -> row.posix(row.file().gid()))
            .time("modified", row -> row.time(row.file().mtime()))
            .time("changed", row -> row.posix(0) == null ? null : Times.of(row.file().ctime()))
            .time("accessed", row -> row.posix(0) == null ? null : Times.of(row.file().atime()))
            .number("modifiedNanos", row -> row.file().mtime()).wide()
            .number("changedNanos", row -> row.file().ctime()).wide()
            .number("accessedNanos", row -> row.file().atime()).wide()
            .number("version", row -> row.posix(row.file().version()))
            .number("device", row -> row.file().device()).wide()
            .text("target", Row::target)
            .text("etag", Row::etag)
            .text("metadata", row -> row.metadata().isEmpty() ? null : new TreeMap<>(row.metadata()).toString());

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
        if (OpenPlaces.areMeant(places, s3)) {
            elsewhere(session, rows, accounts);
            return shown(rows);
        }
        try (var volumes = new OpenVolumes(session, Access.NAMES, "stat")) {
            for (String place : places) {
                rows.add(row(volumes.find(at.place(session, place), follow), accounts));
            }
        }
        return shown(rows);
    }

    private Rows<Row> shown(List<Row> rows) {
        var columns = extents ? WITH_EXTENTS : COLUMNS;
        return rows.size() == 1 ? Rows.one(columns, rows.getFirst()) : Rows.of(columns, rows);
    }

    private void elsewhere(Session session, List<Row> rows, Accounts accounts) throws Exception {
        try (var open = new OpenPlaces(session, Access.NAMES, "stat", s3, at)) {
            for (String word : places) {
                var tree = open.tree(open.place(word));
                var entry = OpenPlaces.top(tree);
                var file = entry.attributes();
                boolean link = file.kind() == FileKind.SYMLINK;
                rows.add(new Row(tree.name(""), file, entry.isObject() ? "" : accounts.user(file.uid()),
                        entry.isObject() ? "" : accounts.group(file.gid()),
                        link ? Optional.of(tree.target(entry)) : Optional.empty(), Layout.NONE,
                        Optional.of(entry.etag()).filter(tag -> !tag.isEmpty()),
                        entry.isObject() ? tree.metadata(entry) : Map.of()));
            }
        }
    }

    private Row row(Spot spot, Accounts accounts) throws IOException {
        var file = spot.attributes();
        var layout = extents && file.isRegular() ? Layout.of(spot.volume().vfs(), file) : Layout.NONE;
        return new Row(spot.toString(), file, accounts.user(file.uid()), accounts.group(file.gid()),
                FileRow.target(spot.volume(), file), layout, Optional.empty(), Map.of());
    }
}
