package volsh.command.event;

import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import volsh.catalog.Home;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Listing;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.render.Columns;
import volsh.command.render.Rendering;
import volsh.command.render.Rows;
import volsh.event.EventLog;
import volsh.event.Happening;
import volsh.unit.Span;

@Command(name = "events", description = {
        "Show events of this home: mounts, stores, repairs, failed writes, checkpoints.",
        "Mounts that started, ended or died, stores that went down and came back, checkpoints saved, moved, removed"
                + " or found damaged. KIND is mount, store, volume, journal, cache, checkpoint or request. The last 4"
                + " MiB of this home are kept. --follow continues until Ctrl-C; -o jsonl prints one line of JSON per"
                + " event."})
@Examples({"volsh events", "volsh events --since 1h --level warning -o jsonl", "volsh events --kind store --last 20"})
final class Events implements Action<Rows<Happening>>, Listing {
    private static final long LOOK_MILLIS = 250;
    private static final Columns<Happening> COLUMNS = Columns.of(Happening.class)
            .time("time", Happening::time)
            .text("level", each -> each.level().name().toLowerCase(Locale.ROOT))
            .text("kind", Happening::kind)
            .text("subject", Happening::subject)
            .command("text", Happening::text)   // a sentence: never cut, on a line of its own if need be
            .number("pid", Happening::pid).wide();

    @Option(names = "--since", paramLabel = "TIME", description = "Show only events of this time until now: 1h.")
    private @Nullable Span since;

    @Option(names = "--kind", paramLabel = "EVENTS", description = "Show only this kind.")
    private @Nullable String kind;

    @Option(names = "--level", paramLabel = "SEVERITY", defaultValue = "info",
            description = "Show this level and above: info, warning or error (default: ${DEFAULT-VALUE}).")
    private String level;

    @Option(names = "--last", paramLabel = "N", description = "Show only the last N.")
    private @Nullable Integer last;

    @Option(names = {"--follow", "-f"}, description = "Continue with new events.")
    private boolean follow;

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public @Nullable Rows<Happening> run(Session session) throws Exception {
        var wanted = level();
        if (last != null && last < 0) {
            throw CommandFailure.usage("--last must not be negative: " + last);
        }
        var log = new EventLog(session.service(Home.class).state().resolve("events"));
        var begin = since == null ? Instant.MIN : Instant.now().minus(since.duration());
        var found = found(log, wanted, begin);
        var shown = last == null ? found : found.subList(Math.max(0, found.size() - last), found.size());
        if (!follow) {
            return Rows.of(COLUMNS, shown);
        }
        follow(session, log, wanted, begin, found, shown);
        return null;
    }

    private List<Happening> found(EventLog log, Happening.Level wanted, Instant begin) throws Exception {
        return log.read().stream()
                .filter(each -> each.level().compareTo(wanted) >= 0 && (kind == null || each.kind().equals(kind))
                && each.time().compareTo(begin) > 0).toList();
    }

    /** Compares with the previous poll, because times of different processes need not be in order. */
    private void follow(Session session, EventLog log, Happening.Level wanted, Instant begin, List<Happening> found,
            List<Happening> first) throws Exception {
        var out = new OutputStreamWriter(session.out(), StandardCharsets.UTF_8);
        var some = first;
        var seen = new HashSet<>(found);
        try (var _ = session.cancellation().interrupting()) {
            while (true) {
                if (!some.isEmpty()) {
                    Rendering.print(session.options().rows().of(Rows.of(COLUMNS, some)), session.view(), out);
                    out.flush();
                }
                session.cancellation().check();
                Thread.sleep(LOOK_MILLIS);
                var now = found(log, wanted, begin);
                some = now.stream().filter(each -> !seen.contains(each)).toList();
                if (!some.isEmpty()) {
                    seen.clear();
                    seen.addAll(now);
                }
            }
        }
    }

    private Happening.Level level() {
        try {
            return Happening.Level.valueOf(level.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException none) {
            throw CommandFailure.usage("'%s' is not a level (try info, warning or error)".formatted(level));
        }
    }
}
