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
        "From the least to the most safe: buffered, staged, stored, committed, replicated. 'volsh help durability'"
                + " explains what each survives.",
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
