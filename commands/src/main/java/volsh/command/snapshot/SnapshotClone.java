package volsh.command.snapshot;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.catalog.VolumePath;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;

@Command(name = "clone", description = {"Copy a snapshot, or a part of it, into its volume, without copying its data.",
        "Same as 'volsh clone'."})
@Examples({"volsh snapshot clone training-data@v1 training-data:/v1",
        "volsh snapshot clone training-data@v1:/dataset training-data:/old-dataset"})
final class SnapshotClone implements Mutation<Rows<Copy.Done>> {
    @Parameters(index = "0", paramLabel = "VOL:/PATH",
            description = "Snapshot, VOLUME@NAME, or a path in it, VOLUME@NAME:/path.")
    private String source;

    @Parameters(index = "1", paramLabel = "VOL:/PATH",
            description = "Name of the clone, which must be free, in the same volume.")
    private String target;

    @Override
    public Columns<?> columns() {
        return Copy.Done.COLUMNS;
    }

    private Copy copy() {
        return new Copy(VolumePath.of(source), VolumePath.of(target), false);
    }

    @Override
    public Plan plan(Session session) throws Exception {
        return copy().plan(session, "clone");
    }

    @Override
    public Rows<Copy.Done> run(Session session) throws Exception {
        var done = copy().run(session, "clone");
        session.say(Copy.told("cloned", done));
        return Rows.one(Copy.Done.COLUMNS, done).told();
    }
}
