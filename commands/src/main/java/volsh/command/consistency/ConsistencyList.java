package volsh.command.consistency;

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
import volsh.volume.Volumes;

@Command(name = "list",
        description = "List the directories of a volume that have a policy, by their paths when it was set.")
@Examples({"volsh consistency list training-data", "volsh consistency list training-data -o json"})
final class ConsistencyList implements Action<Rows<PolicyRow>>, Listing {
    @Parameters(paramLabel = "VOLUME", description = "Volume to list.")
    private String name;

    @Override
    public Columns<?> columns() {
        return PolicyRow.COLUMNS;
    }

    @Override
    public Rows<PolicyRow> run(Session session) throws Exception {
        try (var volume = session.service(Volumes.class).open(name, Access.NAMES, "consistency")) {
            return Rows.of(PolicyRow.COLUMNS, volume.vfs().coherence().policies().rules().stream()
                    .map(rule -> new PolicyRow(new VolumePath(name, rule.path()).toString(), rule.policy().toString(),
                            null))
                    .toList());
        }
    }
}
