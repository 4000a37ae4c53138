package volsh.command.snapshot;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
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
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.history.RemovalSpan;
import volsh.history.Versions;
import volsh.volume.Volumes;

@Command(name = "history", description = {"Show the versions of a path over time: created, written, changed, deleted.",
        "Keeps at most one version per second, and the last state before each deletion or replacement. AT is a time"
                + " at which the version can be read with --at, or how `undelete` restores it if it was gone within"
                + " the second; a version without AT is kept for another reason. Links in the path are not followed."})
@Examples({"volsh history training-data:/dataset/labels.csv", "volsh history training-data:/dataset -o json"})
final class History implements Action<Rows<History.Row>>, Listing {
    @Parameters(paramLabel = "VOL:/PATH", description = "File or directory, even if deleted.")
    private String place;

    /** An event of the path, with the attributes from then on. */
    record Row(Instant time, String event, Attributes attributes, String at) {}

    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .time("time", Row::time)
            .text("event", Row::event)
            .bytes("size", row -> row.event().equals("deleted") ? null : row.attributes().size())
            .text("permissions",
                    row -> row.event().equals("deleted") ? null : "%04o".formatted(row.attributes().mode()))
            .time("modified", row -> row.event().equals("deleted") ? null : instant(row.attributes().mtime()))
            .text("at", Row::at)
            .number("inode", row -> row.attributes().ino()).wide()
            .number("version", row -> row.attributes().version()).wide();

    private static Instant instant(long nanos) {
        return Instant.ofEpochSecond(Math.floorDiv(nanos, 1_000_000_000L), Math.floorMod(nanos, 1_000_000_000L));
    }

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Rows<Row> run(Session session) throws Exception {
        var path = VolumePath.of(place);
        try (var volume = session.service(Volumes.class).open(path.volume(), Access.NAMES, "history")) {
            var versions = volume.versions();
            return Rows.of(COLUMNS, rows(versions, versions.of(names(path))));
        } catch (FsException refused) {
            throw refused.error() == FsError.NO_ENTRY
                    ? new FsException(FsError.NO_ENTRY, "%s: no current or past file has this name".formatted(path))
                    : refused;
        }
    }

    static List<Name> names(VolumePath path) throws FsException {
        var names = new ArrayList<Name>();
        for (String part : path.path().split("/")) {
            if (!part.isEmpty()) {
                names.add(Name.of(part.getBytes(StandardCharsets.UTF_8)));
            }
        }
        return names;
    }

    private static List<Row> rows(Versions of, List<Versions.Version> versions) throws IOException {
        var rows = new ArrayList<Row>();
        Versions.Version before = null;
        for (var version : versions) {
            if (before != null && before.end().orElse(Long.MAX_VALUE) < version.since()) {
                rows.addAll(deleted(of, before));
                before = null;
            }
            rows.add(new Row(Instant.ofEpochSecond(version.since()), event(before, version), version.attributes(),
                    at(version)));
            before = version;
        }
        if (before != null && before.end().isPresent()) {
            rows.addAll(deleted(of, before));
        }
        return rows;
    }

    /** For a directory whose removal took more than a second: also its start and the time before. */
    private static List<Row> deleted(Versions of, Versions.Version version) throws IOException {
        var rows = new ArrayList<Row>();
        of.removal(version).filter(RemovalSpan::isLong).ifPresent(span -> rows.add(
                new Row(Instant.ofEpochSecond(span.first()), "removing", version.attributes(),
                        Instant.ofEpochSecond(span.before()).toString())));
        rows.add(new Row(Instant.ofEpochSecond(version.end().getAsLong()), "deleted", version.attributes(), null));
        return rows;
    }

    private static String at(Versions.Version version) {
        if (version.isBrief()) {
            return "undelete --inode " + version.attributes().ino();
        }
        return version.seen().isPresent() ? Instant.ofEpochSecond(version.seen().getAsLong()).toString() : null;
    }

    private static String event(Versions.Version before, Versions.Version now) {
        if (before == null) {
            return "made";
        }
        if (before.attributes().ino() != now.attributes().ino()) {
            return "replaced";
        }
        return before.attributes().version() != now.attributes().version() ? "written" : "attributes";
    }
}
