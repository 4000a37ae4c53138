package volsh.command.status;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Outcome;
import volsh.command.Session;
import volsh.command.Tabular;
import volsh.command.failure.Diagnosis;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.unit.Span;

@Command(name = "status", description = {
        "Show the health of this machine's volumes, mounts and stores, and mount activity.",
        "ATRISK, COMMITS and SINCE show what losing this host now would cost: bytes that are only in its memory or"
                + " journals, changes whose metadata is not in the store, and since when the oldest waits.",
        "Exit 0: all is well. 11: something is at risk, that is older than --rpo or cannot be stored, or a background"
                + " task of a mount fails repeatedly. 8: a disk or a store is full. 9: a store refuses access, or"
                + " the home cannot be written. 6: a mount, a store or a volume cannot be reached. 4: another host"
                + " has a volume, or the session of a mount was ended. 7: something is damaged. The worst of"
                + " them, the last in this list, counts; NEXT says what to do about it."})
@Examples({"volsh status", "volsh status -o json", "volsh status --rpo 30s --timeout 2s"})
final class Status implements Action<Outcome<Rows<StatusRow>>>, Tabular {
    private static final List<Look> LOOKS = List.of(new MountLook(), new VolumeLook(), new RedundancyLook(), new StoreLook(), new JobLook(),
            new HomeLook());

    @Option(names = "--rpo", paramLabel = "TIME", defaultValue = "5m",
            description =
                    "Treat data that only this host has as at risk from this age on (default: ${DEFAULT-VALUE}).")
    private Span rpo;

    @Option(names = "--timeout", paramLabel = "TIME", defaultValue = "5s",
            description = "Treat what does not answer within this time as unavailable (default: ${DEFAULT-VALUE}).")
    private Span timeout;

    @Override
    public Columns<?> columns() {
        return StatusRow.COLUMNS;
    }

    private record Asked(Look.Question question, FutureTask<StatusRow> answer) {}

    @Override
    public Outcome<Rows<StatusRow>> run(Session session) throws Exception {
        long deadline = System.nanoTime() + timeout.duration().toNanos();
        var all = new ArrayList<Asked>();
        for (var look : LOOKS) {
            for (var question : look.questions(session, new Look.Terms(rpo.duration()))) {
                var asked = new Asked(question, new FutureTask<>(question.answer()));
                Thread.ofPlatform().daemon().name("status").start(asked.answer);   // one that hangs is left behind
                all.add(asked);
            }
        }
        var rows = new ArrayList<StatusRow>();
        var worst = Health.OK;
        try (var _ = session.cancellation().interrupting()) {
            for (var asked : all) {
                var row = await(asked, deadline);
                worst = worst.worse(row.health());
                rows.add(row);
            }
        }
        return new Outcome<>(Rows.of(StatusRow.COLUMNS, rows), worst.exit());
    }

    private StatusRow await(Asked asked, long deadline) throws InterruptedException {
        try {
            return asked.answer.get(Math.max(1, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException silent) {
            return asked.question.failed(Health.UNAVAILABLE, "no answer within " + timeout);
        } catch (ExecutionException failed) {
            var problem = Diagnosis.of(failed.getCause());
            return asked.question.failed(Health.of(problem.exit()), problem.message());
        }
    }
}
