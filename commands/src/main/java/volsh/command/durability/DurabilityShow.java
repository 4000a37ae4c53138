package volsh.command.durability;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.command.Action;
import volsh.command.Listing;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.mount.Mounts;

@Command(name = "durability", description = {"Show how safe files are now, and which host they depend on.",
        "buffered: bytes are only in the memory of a mount;",
        "staged: bytes survive power loss, but some are only in the journal of one host (mount --writeback);",
        "stored: bytes are in the store, and the metadata that names them is on one host;",
        "committed: the metadata is in the store too: the volume can be attached elsewhere with this file in it;",
        "replicated: and any one store may be lost (volumes over several stores, with mirror or ec layouts).",
        "A directory is as safe as the least safe file below it."})
@Examples({"volsh durability training-data:/dataset", "volsh durability training-data:/dataset -o value:state"})
final class DurabilityShow implements Action<Rows<DurabilityRow>>, Listing {
    @Parameters(arity = "0..*", paramLabel = "VOL:/PATH|DIR",
            description = "Files or directories, as VOLUME:/path or on a mount.")
    private List<String> paths = List.of();

    @Override
    public Columns<?> columns() {
        return DurabilityRow.COLUMNS;
    }

    @Override
    public Rows<DurabilityRow> run(Session session) throws Exception {
        if (paths.isEmpty()) {
            throw CommandFailure.usage("missing required parameter: 'PATH'").hint("volsh durability --help");
        }
        var rows = new ArrayList<DurabilityRow>();
        for (var word : paths) {
            rows.add(new DurabilityRow(word, session.service(Mounts.class).durability(Files.find(session, word))));
        }
        return Rows.of(DurabilityRow.COLUMNS, rows);
    }
}
