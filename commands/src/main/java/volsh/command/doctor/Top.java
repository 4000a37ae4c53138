package volsh.command.doctor;

import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.Tabular;
import volsh.command.render.Columns;
import volsh.command.render.Rendering;
import volsh.command.render.Rows;
import volsh.command.render.Text;
import volsh.unit.Span;

@Command(name = "top", description = {"Show what every mount of this machine does, again and again, until Ctrl-C.",
        "The columns are those of volsh stats. At a terminal each table takes the place of the one before; elsewhere, they follow one another."})
@Examples({"volsh top --count 1", "volsh top --interval 500ms --count 1 -o jsonl"})
final class Top implements Action<Void>, Tabular {
    private static final String CLEAR = "\033[H\033[2J";

    @Option(names = "--interval", paramLabel = "TIME", defaultValue = "2s", description = "How long each table watches (default: ${DEFAULT-VALUE}).")
    private Span interval;

    @Option(names = "--count", paramLabel = "N", description = "End after so many tables.")
    private Integer count;

    @Override
    public Columns<?> columns() {
        return Activity.COLUMNS;
    }

    @Override
    public Void run(Session session) throws Exception {
        var out = new OutputStreamWriter(session.out(), StandardCharsets.UTF_8);
        boolean screen = session.view().terminal();
        for (int shown = 0; count == null || shown < count; shown++) {
            var activities = Activity.of(Watched.samples(session, interval.duration()));
            session.cancellation().check();
            if (screen) {
                out.write(CLEAR);
                Rendering.print(new Text("volsh top, every %s, at %s: %d mounts; Ctrl-C ends it\n\n".formatted(
                        interval, Instant.now().truncatedTo(ChronoUnit.SECONDS), activities.size())), session.view(), out);
            }
            Rendering.print(Rows.of(Activity.COLUMNS, activities), session.view(), out);
            out.flush();
        }
        return null;
    }
}
