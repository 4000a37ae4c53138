package volsh.command.volume;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.volume.Volumes;

@Command(name = "rename", description = "Rename a volume; its data stays where it is.")
@Examples("volsh volume rename training-data imagenet-2026")
final class VolumeRename implements Mutation<VolumeRename.Renamed> {
    @Parameters(index = "0", paramLabel = "VOLUME", description = "Volume to rename.")
    private String name;

    @Parameters(index = "1", paramLabel = "NAME", description = "New name.")
    private String newName;

    /** The new and the old name. */
    record Renamed(String name, String before) {}

    @Override
    public Columns<?> columns() {
        return Columns.derived(Renamed.class);
    }

    @Override
    public Plan plan(Session session) throws Exception {
        session.service(Volumes.class).checkRename(name, newName);
        return Plan.of("rename", VolumeViews.quoted(name), "to '" + newName + "'");
    }

    @Override
    public Renamed run(Session session) throws Exception {
        session.service(Volumes.class).rename(name, newName);
        session.say("renamed " + VolumeViews.quoted(name) + " to '" + newName + "'");
        return new Renamed(newName, name);
    }
}
