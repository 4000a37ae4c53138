package volsh.command.quota;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.volume.Access;
import volsh.volume.Volumes;

@Command(name = "remove", description = "Lift the limit of a volume or directory.")
@Examples({"volsh quota remove training-data:/users/u1001 --dry-run", "volsh quota remove training-data:/users/u1001"})
final class QuotaRemove implements Mutation<Rows<QuotaRow>> {
    @Parameters(paramLabel = "VOLUME[:PATH]", description = "What is limited: VOLUME, or VOLUME:/directory.")
    private String what;

    @Override
    public Columns<?> columns() {
        return QuotaRow.COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var limited = Limited.of(what);
        try (var open = session.service(Volumes.class).open(limited.volume(), Access.NAMES, "quota")) {
            var row = QuotaRow.of(limited.toString(), limited.status(open).orElseThrow(() -> QuotaShow.none(limited)));
            return Plan.of("lift", "the limit of " + limited, row.limits());
        }
    }

    @Override
    public Rows<QuotaRow> run(Session session) throws Exception {
        var limited = Limited.of(what);
        try (var open = session.service(Volumes.class).open(limited.volume(), Access.WRITE, "quota")) {
            var row = QuotaRow.of(limited.toString(), limited.status(open).orElseThrow(() -> QuotaShow.none(limited)));
            var directory = limited.directory(open);
            if (directory.isEmpty()) {
                open.quotas().remove();
            } else {
                open.quotas().remove(directory.get(), counted -> session.cancellation().check());
            }
            session.say("%s is not limited any more".formatted(limited));
            return Rows.one(QuotaRow.COLUMNS, row).told();
        }
    }
}
