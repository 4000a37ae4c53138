package volsh.command.consistency;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.catalog.Access;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;

@Command(name = "unset", description = "Remove a directory's own policy; it inherits from the directories above.")
@Examples("volsh consistency unset training-data:/")
final class ConsistencyUnset implements Mutation<Rows<PolicyRow>> {
    @Parameters(paramLabel = "VOL:/PATH", description = "Directory to change.")
    private String place;

    @Override
    public Columns<?> columns() {
        return PolicyRow.COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        try (var directory = RuledPath.consistency(session, place, Access.NAMES)) {
            return directory.own().map(rule -> Plan.of("unset", directory.path().toString(), rule.policy().toString()))
                    .orElse(Plan.NOTHING);
        }
    }

    @Override
    public Rows<PolicyRow> run(Session session) throws Exception {
        try (var directory = RuledPath.consistency(session, place, Access.WRITE)) {
            boolean had = directory.unset();
            session.say(had ? "removed the policy of %s".formatted(directory.path())
                    : "%s has no policy of its own".formatted(directory.path()));
            return Rows.one(PolicyRow.COLUMNS, directory.row(directory.inForce()));
        }
    }
}
