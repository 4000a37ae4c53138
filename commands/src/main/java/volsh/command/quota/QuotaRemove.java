package volsh.command.quota;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import volsh.catalog.Access;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.volume.Volumes;

@Command(name = "remove", description = "Remove the quota of a volume, directory, user or group.")
@Examples({"volsh quota remove training-data:/users/u1001 --dry-run", "volsh quota remove training-data:/users/u1001",
        "volsh quota remove training-data --user 1001"})
final class QuotaRemove implements Mutation<Rows<QuotaRow>> {
    @Parameters(paramLabel = "VOLUME[:PATH]", description = "Quota to remove: VOLUME, or VOLUME:/directory.")
    private String what;

    @Mixin
    private OwnerOptions owner;

    @Override
    public Columns<?> columns() {
        return QuotaRow.COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var limited = Limited.of(what, owner);
        try (var open = session.service(Volumes.class).open(limited.volume(), Access.NAMES, "quota")) {
            var row = limited.row(limited.status(open).orElseThrow(() -> QuotaShow.none(limited)));
            return Plan.of("remove", "quota of " + limited, row.limits());
        }
    }

    @Override
    public Rows<QuotaRow> run(Session session) throws Exception {
        var limited = Limited.of(what, owner);
        try (var open = session.service(Volumes.class).open(limited.volume(), Access.WRITE, "quota")) {
            var row = limited.row(limited.status(open).orElseThrow(() -> QuotaShow.none(limited)));
            limited.remove(open, counted -> session.cancellation().check());
            session.say("removed the quota of %s".formatted(limited));
            return Rows.one(QuotaRow.COLUMNS, row).told();
        }
    }
}
