package volsh.command.consistency;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.catalog.Access;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.Tabular;
import volsh.command.render.Columns;
import volsh.command.render.Rows;

@Command(name = "show", description = "Show the policy in force for a directory, and which directory sets it.")
@Examples({"volsh consistency show training-data:/", "volsh consistency show training-data:/ -o value:policy"})
final class ConsistencyShow implements Action<Rows<PolicyRow>>, Tabular {
    @Parameters(paramLabel = "VOL:/PATH", description = "Directory to show.")
    private String place;

    @Override
    public Columns<?> columns() {
        return PolicyRow.COLUMNS;
    }

    @Override
    public Rows<PolicyRow> run(Session session) throws Exception {
        try (var directory = RuledPath.consistency(session, place, Access.NAMES)) {
            return Rows.one(PolicyRow.COLUMNS, directory.row(directory.inForce()));
        }
    }
}
