package volsh.command.volume;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Outcome;
import volsh.command.Session;
import volsh.command.Tabular;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.volume.Refusal;
import volsh.volume.VolumeSpec;
import volsh.volume.VolumeStatus;
import volsh.volume.Volumes;

@Command(name = "df", description = {"Show how much each volume holds and how much space is left.",
        "USED counts bytes as files show them, INODES files, directories and links, STORED bytes in the stores,"
                + " including copies and parity; RATIO is USED for each byte stored of it. RECLAIMABLE is the part of"
                + " STORED that was deleted and waits to be reclaimed: a mount does so within a minute, 'volsh volume"
                + " gc VOLUME --delete' at once; above 10,000 blocks it is a lower bound. FREE is what files can"
                + " still take: with a mirror or erasure coding, without the copies and parity."})
@Examples({"volsh df", "volsh df training-data", "volsh df --sort -stored -o json"})
final class Df implements Action<Outcome<Rows<Df.Row>>>, Tabular {
    @Parameters(paramLabel = "VOLUME", arity = "0..*", description = "Volumes (default: all).")
    private List<String> names = List.of();

    /** A volume and the room there is. */
    record Row(String volume, String store, Optional<VolumeStatus> status, OptionalLong free) {}

    private static final Columns<Row> COLUMNS = VolumeViews
            .usage(Columns.of(Row.class).text("volume", Row::volume).text("store", Row::store), Row::status)
            .bytes("free", row -> row.free().isPresent() ? row.free().getAsLong() : null);

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Outcome<Rows<Row>> run(Session session) throws Exception {
        var volumes = session.service(Volumes.class);
        var contents = new Contents(volumes, session);
        var rows = new ArrayList<Row>();
        boolean damaged = false;
        for (String name : names.isEmpty() ? volumes.names() : names) {
            try {
                var spec = volumes.find(name);
                contents.requireDirectories(spec);
                rows.add(new Row(name, String.join(",", spec.stores()), contents.status(name, names.size() == 1),
                        free(volumes, spec)));
            } catch (Refusal refusal) {
                if (names.size() == 1 || refusal.reason() != Refusal.Reason.DAMAGED) {
                    throw refusal;
                }
                damaged = true;
                session.warn(refusal.getMessage());
            }
        }
        damaged |= contents.damaged();
        return new Outcome<>(Rows.of(COLUMNS, rows),
                damaged ? ExitCode.INTEGRITY : contents.complete() ? ExitCode.OK : ExitCode.PARTIAL);
    }

    /** That the entry of a store is damaged was told. */
    private static OptionalLong free(Volumes volumes, VolumeSpec spec) throws IOException {
        try {
            return volumes.free(spec);
        } catch (Refusal damaged) {
            return OptionalLong.empty();
        }
    }
}
