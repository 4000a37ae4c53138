package volsh.command.gateway;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.catalog.Home;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.gateway.GatewayRecords;
import volsh.gateway.GatewayRecords.Running;
import volsh.unit.Span;

@Command(name = "stop", description = {"Stop a gateway, and return when it has stopped.",
        "Breaks off requests that are under way: what was not acknowledged is not there, what was is stored.",
        "Forgets a gateway whose process has ended."})
@Examples("volsh gateway stop 9000")
final class GatewayStop implements Mutation<Rows<Running>> {
    private static final Duration LOOK = Duration.ofMillis(50);

    @Parameters(paramLabel = "GATEWAY", description = "Port, URL or process number, as 'volsh gateway list' shows it.")
    private String gateway;

    @Option(names = "--timeout", paramLabel = "TIME", defaultValue = "40s",
            description = "Limit the time to stop (default: ${DEFAULT-VALUE}).")
    private Span timeout;

    @Override
    public Columns<?> columns() {
        return GatewayViews.COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var found = GatewayViews.find(session, gateway);
        return Plan.of("stop", "gateway " + found.url(), "%d requests are under way".formatted(found.active()));
    }

    @Override
    public Rows<Running> run(Session session) throws Exception {
        var found = GatewayViews.find(session, gateway);
        if (!found.alive()) {
            new GatewayRecords(session.service(Home.class).state()).forget(found.url());
            session.say("forgot gateway %s, whose process has ended".formatted(found.url()));
            return Rows.one(GatewayViews.COLUMNS, found).told();
        }
        var process = ProcessHandle.of(found.pid());
        process.ifPresent(ProcessHandle::destroy);
        long end = System.nanoTime() + timeout.duration().toNanos();
        while (process.isPresent() && process.get().isAlive()) {
            session.cancellation().check();
            if (System.nanoTime() > end) {
                throw CommandFailure.of(ExitCode.TIMEOUT, "GW-0003", "timed out: process %d still runs after %s"
                        .formatted(found.pid(), timeout));
            }
            TimeUnit.MILLISECONDS.sleep(LOOK.toMillis());
        }
        session.say("stopped gateway " + found.url());
        return Rows.one(GatewayViews.COLUMNS, found).told();
    }
}
