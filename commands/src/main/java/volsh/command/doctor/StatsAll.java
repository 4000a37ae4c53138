package volsh.command.doctor;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import volsh.command.Action;
import volsh.command.Listing;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.unit.Span;

@Command(name = "stats", description = {"Show the current activity of every mount of this machine.",
        "Over --interval: requests and bytes per second, mean read time, frames found in caches, bytes from the store"
                + " and mean get time, bytes that wait in journals, what losing this host would cost and since when"
                + " (rpo), and the narrowest stage as volsh doctor finds it. For the operations of one mount: volsh"
                + " mounts stats."})
@Examples({"volsh stats", "volsh stats --interval 500ms -o json"})
final class StatsAll implements Action<Rows<Activity>>, Listing {
    @Option(names = "--interval", paramLabel = "TIME", defaultValue = "1s",
            description = "Watch for this long (default:" + " ${DEFAULT-VALUE}).")
    private Span interval;

    @Override
    public Columns<?> columns() {
        return Activity.COLUMNS;
    }

    @Override
    public Rows<Activity> run(Session session) throws Exception {
        return Rows.of(Activity.COLUMNS, Activity.of(session, Watched.samples(session, interval.duration())));
    }
}
