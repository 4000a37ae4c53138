package volsh.command.quota;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import volsh.catalog.Access;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.Tabular;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.volume.Volumes;

@Command(name = "show", description = "Show the quota of a volume, directory, user or group, and its usage.")
@Examples({"volsh quota show training-data:/users/u1001", "volsh quota show training-data --user 1001 -o json"})
final class QuotaShow implements Action<Rows<QuotaRow>>, Tabular {
    @Parameters(paramLabel = "VOLUME[:PATH]", description = "Quota to show: VOLUME, or VOLUME:/directory.")
    private String what;

    @Mixin
    private OwnerOptions owner;

    @Override
    public Columns<?> columns() {
        return QuotaRow.COLUMNS;
    }

    @Override
    public Rows<QuotaRow> run(Session session) throws Exception {
        var limited = Limited.of(what, owner);
        try (var open = session.service(Volumes.class).open(limited.volume(), Access.NAMES, "quota")) {
            return Rows.one(QuotaRow.COLUMNS, limited.row(limited.status(open).orElseThrow(() -> none(limited))));
        }
    }

    static CommandFailure none(Limited limited) {
        return CommandFailure.of(ExitCode.NOT_FOUND, "QUOTA-0003", "%s has no quota of its own".formatted(limited))
                .hint("volsh quota list " + limited.volume())
                .hint("volsh quota set %s 2TiB".formatted(limited.words()));
    }
}
