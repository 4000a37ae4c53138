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
import volsh.meta.Consistency;

@Command(name = "set", description = {"Set how fresh mounts show a directory and everything below it.",
        "strict: the kernel caches nothing;",
        "close-to-open: files are looked up each time, directories on the way are cached for a second, bytes stay"
                + " cached while a file is unchanged;",
        "relaxed:TIME: names and attributes may be up to this old;",
        "immutable: looked up once; mounts refuse changes (EPERM).",
        "Mounts follow within two seconds; on kernels before 6.16 only for what they look up from then on."})
@Examples({"volsh consistency set training-data:/ immutable", "volsh consistency set training-data:/ relaxed:30s"})
final class ConsistencySet implements Mutation<Rows<PolicyRow>> {
    @Parameters(index = "0", paramLabel = "VOL:/PATH", description = "Directory to set.")
    private String place;

    @Parameters(index = "1", paramLabel = "POLICY",
            description = "Policy: strict, close-to-open, relaxed:TIME or immutable.")
    private Consistency policy;

    @Override
    public Columns<?> columns() {
        return PolicyRow.COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        try (var directory = RuledPath.consistency(session, place, Access.NAMES)) {
            return directory.isSet(policy) ? Plan.NOTHING
                    : Plan.of("set", directory.path().toString(), policy.toString());
        }
    }

    @Override
    public Rows<PolicyRow> run(Session session) throws Exception {
        try (var directory = RuledPath.consistency(session, place, Access.WRITE)) {
            directory.set(policy);
            session.say("%s is %s".formatted(directory.path(), policy));
            return Rows.one(PolicyRow.COLUMNS, directory.row(directory.own()));
        }
    }
}
