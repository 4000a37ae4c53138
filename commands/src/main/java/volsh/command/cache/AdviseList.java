package volsh.command.cache;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.catalog.Access;
import volsh.catalog.VolumePath;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Listing;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.volume.Volumes;

@Command(name = "list",
        description = "List the files and directories of a volume that have advice, by their paths when it was given.")
@Examples({"volsh advise list training-data", "volsh advise list training-data -o json"})
final class AdviseList implements Action<Rows<AdviceRow>>, Listing {
    @Parameters(paramLabel = "VOLUME", description = "Volume to list.")
    private String name;

    @Override
    public Columns<?> columns() {
        return AdviceRow.COLUMNS;
    }

    @Override
    public Rows<AdviceRow> run(Session session) throws Exception {
        try (var volume = session.service(Volumes.class).open(name, Access.NAMES, "advise")) {
            return Rows.of(AdviceRow.COLUMNS, volume.vfs().coherence().advice().rules().stream()
                    .map(rule -> new AdviceRow(new VolumePath(name, rule.path()).toString(), rule.policy().toString(),
                            null))
                    .toList());
        }
    }
}
