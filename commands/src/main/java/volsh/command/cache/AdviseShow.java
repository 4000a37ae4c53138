package volsh.command.cache;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.catalog.Access;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.Tabular;
import volsh.command.consistency.RuledPath;
import volsh.command.render.Columns;
import volsh.command.render.Rows;

@Command(name = "show", description = "Show the advice in force for a file or directory, and which directory has it.")
@Examples({"volsh advise show training-data:/dataset", "volsh advise show training-data:/dataset -o value:advice"})
final class AdviseShow implements Action<Rows<AdviceRow>>, Tabular {
    @Parameters(paramLabel = "VOL:/PATH|DIR", description = "File or directory in a volume, or on a mount.")
    private String word;

    @Override
    public Columns<?> columns() {
        return AdviceRow.COLUMNS;
    }

    @Override
    public Rows<AdviceRow> run(Session session) throws Exception {
        var path = new Targets(session, new CacheChoice()).inVolume(word);
        try (var place = RuledPath.advice(session, path, Access.NAMES)) {
            return Rows.one(AdviceRow.COLUMNS, AdviceRow.of(place));
        }
    }
}
