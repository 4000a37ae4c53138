package volsh.command.place;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.place.Chaos;
import volsh.unit.Percent;
import volsh.unit.Span;
import volsh.volume.Volumes;

@Command(name = "store", description = {"Make a store fail for a while, for all volsh processes of this host.",
        "Running mounts are included; nothing in the store changes. The failure ends with Ctrl-C or when the time is"
                + " over, even if this command is killed. Waits until then, unless --detach."})
@Examples({"volsh chaos store s2 --down 1s", "volsh chaos store s2 --slow 200ms --for 1m --detach",
        "volsh chaos store s2 --errors 5% --corrupt 1% --for 1m --detach",
        "volsh chaos store s2 --end"})
final class ChaosStore implements Mutation<Rows<ChaosStore.Ordered>> {
    private static final Duration LONGEST = Duration.ofHours(1);

    @Parameters(paramLabel = "STORE", description = "Store to disturb.")
    private String name;

    @Option(names = "--down", paramLabel = "TIME", description = "Make the store unreachable for this long.")
    private @Nullable Span down;

    @Option(names = "--slow", paramLabel = "TIME", description = "Delay every answer by this long.")
    private @Nullable Span slow;

    @Option(names = "--errors", paramLabel = "PERCENT", description = "Fail this percentage of requests.")
    private @Nullable Percent errors;

    @Option(names = "--corrupt", paramLabel = "PERCENT", description = "Flip a bit in this percentage of answers.")
    private @Nullable Percent corrupt;

    @Option(names = "--for", paramLabel = "TIME", defaultValue = "30s",
            description = "Set the duration, at most 1h, unless --down sets it (default: ${DEFAULT-VALUE}).")
    private Span time;

    @Option(names = "--detach", description = "Return at once.")
    private boolean detach;

    @Option(names = "--end", description = "End the failure now.")
    private boolean end;

    record Ordered(String store, String trouble) {}

    private static final Columns<Ordered> COLUMNS =
            Columns.of(Ordered.class).text("store", Ordered::store).text("trouble", Ordered::trouble);

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    private Duration span() {
        var span = down == null ? time.duration() : down.duration();
        if (span.compareTo(LONGEST) > 0) {
            throw CommandFailure.usage("--for must be at most 1h, not " + new Span(span));
        }
        return span;
    }

    private Chaos chaos(Session session) {
        if (down == null && slow == null && errors == null && corrupt == null) {
            throw CommandFailure.usage("missing failure: give --down, --slow, --errors or --corrupt")
                    .hint("volsh chaos store " + name + " --down 10s");
        }
        var chaos = Chaos.until(session.clock().instant().plus(span()));
        chaos = down == null ? chaos : chaos.withDown();
        chaos = slow == null ? chaos : chaos.withSlow(slow.duration());
        chaos = errors == null ? chaos : chaos.withErrors(errors);
        return corrupt == null ? chaos : chaos.withCorrupt(corrupt);
    }

    @Override
    public Plan plan(Session session) throws Exception {
        session.service(Volumes.class).stores().find(name);
        return end ? Plan.of("end", "injected failure of store '" + name + "'", "")
                : Plan.of("disturb", "store '" + name + "'", chaos(session).toString());
    }

    @Override
    public Rows<Ordered> run(Session session) throws Exception {
        var spreading = session.service(Volumes.class).spreading();
        session.service(Volumes.class).stores().find(name);
        if (end) {
            spreading.end(name);
            return Rows.one(COLUMNS, new Ordered(name, "none"));
        }
        var chaos = chaos(session);
        spreading.order(name, chaos);
        if (!detach) {
            try {
                await(session, span());
            } finally {
                spreading.end(name, chaos);
            }
            session.say("store '" + name + "' works normally again");
        }
        return Rows.one(COLUMNS, new Ordered(name, chaos.toString()));
    }

    private static void await(Session session, Duration span) throws InterruptedException {
        try (var _ = session.cancellation().interrupting()) {
            Thread.sleep(span);
        } catch (InterruptedException stop) {
            session.cancellation().check();
            throw stop;
        }
        session.cancellation().check();
    }
}
