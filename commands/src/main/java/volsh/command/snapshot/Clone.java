package volsh.command.snapshot;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import volsh.catalog.VolumePath;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.file.AtOption;
import volsh.command.render.Columns;
import volsh.command.render.Rows;

@Command(name = "clone", description = {"Copy a file or a whole tree within a volume without copying its data.",
        "The clone is the source at one instant, even while programs write to it, and appears complete or not at"
                + " all. Both share the stored blocks until either changes. Modes, owners, times, links and"
                + " extended attributes are kept."})
@Examples({"volsh clone training-data:/dataset training-data:/exp1",
        "volsh clone training-data@v1:/dataset training-data:/old-dataset",
        "volsh clone training-data:/dataset training-data:/yesterday --at -1d --dry-run"})
final class Clone implements Mutation<Rows<Copy.Done>> {
    @Parameters(index = "0", paramLabel = "VOL:/PATH", description = "File or directory to clone, also of a snapshot.")
    private String source;

    @Parameters(index = "1", paramLabel = "VOL:/PATH",
            description = "Name of the clone, which must be free, in the same volume.")
    private String target;

    @Mixin
    private AtOption at;

    @Override
    public Columns<?> columns() {
        return Copy.Done.COLUMNS;
    }

    private Copy copy(Session session) {
        return new Copy(at.in(session, VolumePath.of(source)), VolumePath.of(target), false);
    }

    @Override
    public Plan plan(Session session) throws Exception {
        return copy(session).plan(session, "clone");
    }

    @Override
    public Rows<Copy.Done> run(Session session) throws Exception {
        var done = copy(session).run(session, "clone");
        session.say(Copy.told("cloned", done));
        return Rows.one(Copy.Done.COLUMNS, done).told();
    }
}
