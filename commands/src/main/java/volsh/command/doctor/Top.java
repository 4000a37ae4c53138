package volsh.command.doctor;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.Tabular;
import volsh.command.render.Columns;
import volsh.command.render.OutputFormat;
import volsh.command.render.Rendering;
import volsh.command.render.Rows;
import volsh.unit.Span;

@Command(name = "top", description = {"Show the activity of every mount of this machine, refreshed until Ctrl-C.",
        "At a terminal: the data path of each mount, from the store through the cache and the mount to the job, with"
                + " the narrowest stage in brackets and what helps. On a small terminal, a line per mount. Elsewhere,"
                + " and with -o, successive tables with the columns of volsh stats."})
@Examples({"volsh top --count 1", "volsh top --interval 500ms --count 1 -o jsonl"})
final class Top implements Action<Void>, Tabular {
    private static final String HOME = "\033[H";
    private static final String REST = "\033[K";
    private static final String BELOW = "\033[J";

    @Option(names = "--interval", paramLabel = "TIME", defaultValue = "2s",
            description = "Watch this long for each table (default: ${DEFAULT-VALUE}).")
    private Span interval;

    @Option(names = "--count", paramLabel = "N", description = "Exit after N tables.")
    private @Nullable Integer count;

    @Override
    public Columns<?> columns() {
        return Activity.COLUMNS;
    }

    @Override
    public Void run(Session session) throws Exception {
        var out = new OutputStreamWriter(session.out(), StandardCharsets.UTF_8);
        boolean screen = session.view().terminal() && session.view().format().kind() == OutputFormat.Kind.TABLE;
        for (int shown = 0; count == null || shown < count; shown++) {
            var activities = Activity.of(session, Watched.samples(session, interval.duration()));
            session.cancellation().check();
            if (screen) {
                show(session, activities, out);
            } else {
                Rendering.print(Rows.of(Activity.COLUMNS, activities), session.view(), out);
            }
            out.flush();
        }
        return null;
    }

    private void show(Session session, List<Activity> activities, Writer out) throws IOException {
        var title = "volsh top: %d %s, %s, every %s; Ctrl-C ends it"
                .formatted(activities.size(), activities.size() == 1 ? "mount" : "mounts",
                        LocalTime.now(session.host().zone().get()).truncatedTo(ChronoUnit.SECONDS), interval);
        out.write(HOME);
        for (var line : new TopScreen(session.width(), session.terminal().height(session.environment()),
                session.view().unicode()).lines(title, activities)) {
            out.write(line + REST + "\n");
        }
        out.write(BELOW);
    }
}
