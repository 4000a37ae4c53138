package volsh.command.volume;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Command;
import volsh.catalog.Refusal;
import volsh.catalog.VolumeSpec;
import volsh.command.Action;
import volsh.command.Listing;
import volsh.command.Examples;
import volsh.command.Outcome;
import volsh.command.Session;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.OutputFormat;
import volsh.command.render.Rows;
import volsh.volume.VolumeStatus;
import volsh.volume.Volumes;

@Command(name = "list", description = {"List the volumes.",
        "Reads only the catalog, so it is quick. -o wide, like df, opens each volume to show what it holds."})
@Examples({"volsh volume list", "volsh volume list -o wide", "volsh volume list -o name",
        "volsh volume list --columns name,used"})
final class VolumeList implements Action<Outcome<Rows<VolumeList.Row>>>, Listing {
    private static final Set<String> LOOKED_INTO = Set.of("used", "usedbytes", "files", "stored", "storedbytes",
            "ratio");

    /** A volume of the list. */
    record Row(VolumeSpec spec, Optional<VolumeStatus> status) {}

    private static final Columns<Row> CATALOG =
            VolumeViews.spec(Columns.of(Row.class).text("name", row -> row.spec().name()), Row::spec);

    @Override
    public boolean labelled() {
        return true;
    }

    @Override
    public Columns<?> columns() {
        return VolumeViews.usage(CATALOG, Row::status);
    }

    @Override
    public Outcome<Rows<Row>> run(Session session) throws Exception {
        var volumes = session.service(Volumes.class);
        var contents = new Contents(volumes, session);
        boolean look = looksInto(session);
        var rows = new ArrayList<Row>();
        boolean damaged = false;
        for (String name : volumes.names()) {
            try {
                rows.add(new Row(volumes.find(name), look ? contents.status(name, false) : Optional.empty()));
            } catch (Refusal refusal) {
                damaged |= tell(session, refusal);
            }
        }
        for (String name : volumes.destroying()) {
            session.warn("volume '" + name + "' is partly destroyed; to finish: volsh volume destroy " + name);
        }
        if (rows.isEmpty() && !damaged) {
            session.say("no volumes yet; to create one: volsh volume create training-data");
        }
        ExitCode exit = damaged ? ExitCode.INTEGRITY : contents.complete() ? ExitCode.OK : ExitCode.PARTIAL;
        return new Outcome<>(Rows.of(look ? VolumeViews.usage(CATALOG, Row::status) : CATALOG, rows), exit);
    }

    /** Whether the volume exists but cannot be read; a volume that was removed in the meantime does not count. */
    private static boolean tell(Session session, Refusal refusal) throws IOException {
        if (refusal.reason() == Refusal.Reason.NOT_FOUND) {
            return false;
        }
        if (refusal.reason() != Refusal.Reason.DAMAGED) {
            throw refusal;
        }
        session.warn(refusal.getMessage());
        return true;
    }

    private static boolean looksInto(Session session) {
        var options = session.options();
        return options.output().kind() == OutputFormat.Kind.WIDE
                || !java.util.Collections.disjoint(options.namedColumns(), LOOKED_INTO);
    }
}
