package volsh.command.doctor;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import volsh.command.Session;
import volsh.command.console.KeyInput;
import volsh.unit.Span;

/** What {@code top} shows now: the last activities in the chosen order, and the throughput before. Thread-safe. */
final class TopView {
    private static final String HOME = "\033[H";
    private static final String REST = "\033[K";
    private static final String BELOW = "\033[J";

    private final Session session;
    private final Span interval;
    private final Writer out;
    private final Map<Path, Sparkline> throughput = new HashMap<>();
    private List<Activity> last = List.of();
    private TopOrder order = TopOrder.USUAL;

    TopView(Session session, Span interval) {
        this.session = session;
        this.interval = interval;
        this.out = new OutputStreamWriter(session.out(), StandardCharsets.UTF_8);
    }

    /** Before the first values are there. */
    synchronized void begin() throws IOException {
        out.write(HOME + BELOW + "volsh top: measuring for %s; q leaves\n".formatted(interval));
        out.flush();
    }

    synchronized void show(List<Activity> activities) throws IOException {
        last = activities;
        throughput.keySet().retainAll(activities.stream().map(Activity::mount).toList());
        for (Activity activity : activities) {
            throughput.computeIfAbsent(activity.mount(), _ -> new Sparkline())
                    .add(activity.readRate() + activity.perSecond(activity.sample().writtenBytes()));
        }
        draw();
    }

    synchronized void sort(KeyInput.Key key) {
        TopOrder before = order;
        order = order.after(key);
        if (!order.equals(before)) {
            try {
                draw();
            } catch (IOException gone) {
                throw new UncheckedIOException(gone);
            }
        }
    }

    private void draw() throws IOException {
        var screen = new TopScreen(session.width(), session.terminal().height(session.environment()),
                session.view().unicode(), session.view().colour());
        out.write(HOME);
        for (var line : screen.lines(titles(), order.of(last), throughput)) {
            out.write(line + REST + "\n");
        }
        out.write(BELOW);
        out.flush();
    }

    /** What the first line says, from long to short. */
    private List<String> titles() {
        String mounts = "volsh top: %d %s".formatted(last.size(), last.size() == 1 ? "mount" : "mounts");
        var time = LocalTime.now(session.host().zone().get()).truncatedTo(ChronoUnit.SECONDS);
        return List.of("%s, %s, every %s; by %s; arrows sort, q leaves".formatted(mounts, time, interval, order),
                "%s, %s, by %s; q leaves".formatted(mounts, time, order), mounts + "; q leaves");
    }
}
