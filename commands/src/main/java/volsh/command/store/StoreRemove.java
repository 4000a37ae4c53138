package volsh.command.store;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.volume.Volumes;

@Command(name = "remove",
        description = "Forget the name of a store that no volume uses; its objects stay where they are.")
@Examples("volsh store remove lake")
final class StoreRemove implements Mutation<StoreRemove.Removed> {
    @Parameters(paramLabel = "STORE", description = "Store to forget.")
    private String name;

    /** The removed name and its URL. */
    record Removed(String name, String url) {}

    @Override
    public Columns<?> columns() {
        return Columns.derived(Removed.class);
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var entry = session.service(Volumes.class).stores().checkRemove(name);
        return Plan.of("remove", "store '" + name + "'", entry.url() + "; its objects stay");
    }

    @Override
    public Removed run(Session session) throws Exception {
        var volumes = session.service(Volumes.class);
        String url = volumes.stores().find(name).url().toString();
        volumes.stores().remove(name);
        session.say("removed store '" + name + "'; its objects stay in " + url);
        return new Removed(name, url);
    }
}
