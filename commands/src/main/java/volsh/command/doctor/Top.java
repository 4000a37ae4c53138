package volsh.command.doctor;

import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import volsh.command.Action;
import volsh.command.Cancellation;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.Tabular;
import volsh.command.console.KeyInput;
import volsh.command.failure.CancelledException;
import volsh.command.render.Columns;
import volsh.command.render.OutputFormat;
import volsh.command.render.Rendering;
import volsh.command.render.Rows;
import volsh.unit.Span;

@Command(name = "top", description = {"Show the activity of every mount of this machine, refreshed until q is pressed.",
        "At a terminal: the data path of each mount, from the store through the cache and the mount to the job, with"
                + " the narrowest stage in brackets and what helps, and bars for the throughput of the last minutes."
                + " On a small terminal, a line per mount. Left and right choose what to sort by, up and down the"
                + " direction, q leaves. Elsewhere, and with -o, successive tables with the columns of volsh stats,"
                + " until Ctrl-C."})
@Examples({"volsh top --count 1", "volsh top --interval 500ms --count 1 -o jsonl"})
final class Top implements Action<Void>, Tabular {
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
    public @Nullable Void run(Session session) throws Exception {
        boolean screen = session.view().terminal() && session.view().format().kind() == OutputFormat.Kind.TABLE;
        if (screen) {
            onScreen(session);
            return null;
        }
        var out = new OutputStreamWriter(session.out(), StandardCharsets.UTF_8);
        for (int shown = 0; count == null || shown < count; shown++) {
            var activities = Activity.of(session, Watched.samples(session, interval.duration()));
            session.cancellation().check();
            Rendering.print(Rows.of(Activity.COLUMNS, activities), session.view(), out);
            out.flush();
        }
        return null;
    }

    /** Until q, or Ctrl-C: leaving is no failure. */
    private void onScreen(Session session) throws Exception {
        var leaving = new Cancellation();
        var view = new TopView(session, interval);
        view.begin();
        try (var _ = session.cancellation().onRequest(leaving::request);
                var _ = KeyInput.listen(session, key -> take(key, view, leaving))) {
            var watching = new Session(session.host(), session.options(), leaving);
            for (int shown = 0; count == null || shown < count; shown++) {
                view.show(Activity.of(watching, Watched.samples(watching, interval.duration())));
                leaving.check();
            }
        } catch (CancelledException | InterruptedException left) {
            boolean unfinished = count != null && session.cancellation().requested();
            if (unfinished) {
                throw left;
            }
        }
    }

    private static void take(KeyInput.Key key, TopView view, Cancellation leaving) {
        if (key == KeyInput.Key.QUIT) {
            leaving.request();
        } else {
            view.sort(key);
        }
    }
}
