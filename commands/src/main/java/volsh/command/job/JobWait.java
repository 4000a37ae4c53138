package volsh.command.job;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Outcome;
import volsh.command.Session;
import volsh.command.Tabular;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.job.Job;
import volsh.job.JobState;
import volsh.unit.Span;

@Command(name = "wait", description = {"Wait until jobs have ended; exit like the first job that failed.",
        "Ctrl-C stops the waiting, not the jobs. A lost job counts as failed."})
@Examples("volsh job wait j1 --timeout 10m")
final class JobWait implements Action<Outcome<Rows<Job>>>, Tabular {
    private static final Duration LOOK = Duration.ofMillis(100);

    @Parameters(paramLabel = "JOB", arity = "1..*", description = "Jobs to wait for.")
    private List<String> ids;

    @Option(names = "--timeout", paramLabel = "TIME",
            description = "Wait at most this long, then exit 124 (default: no limit).")
    private @Nullable Span timeout;

    @Override
    public Columns<?> columns() {
        return JobViews.COLUMNS;
    }

    @Override
    public Outcome<Rows<Job>> run(Session session) throws Exception {
        for (String id : ids) {
            JobViews.find(session, id);
        }
        long limit = timeout == null ? Long.MAX_VALUE : System.nanoTime() + timeout.duration().toNanos();
        var ended = new ArrayList<Job>();
        int status = 0;
        for (String id : ids) {
            Job job = await(id, limit, session);
            ended.add(job);
            status = status == 0 ? status(job, session) : status;
        }
        return new Outcome<>(Rows.of(JobViews.COLUMNS, ended), ExitCode.of(status), status);
    }

    private Job await(String id, long limit, Session session) throws Exception {
        Job job = JobViews.find(session, id);
        try (var _ = session.cancellation().interrupting()) {
            while (job.state().isOpen()) {
                session.cancellation().check();
                if (limit != Long.MAX_VALUE && System.nanoTime() >= limit) {
                    throw CommandFailure.of(ExitCode.TIMEOUT, "JOB-0124",
                            "timed out: job %s still runs after %s".formatted(id, timeout)).hint("volsh job log " + id);
                }
                Thread.sleep(LOOK);
                job = JobViews.find(session, id);
            }
        } catch (InterruptedException stopped) {
            session.cancellation().check();
            throw stopped;
        }
        return job;
    }

    private static int status(Job job, Session session) {
        if (job.state() == JobState.LOST) {
            session.warn("job %s is lost: its process is gone and recorded no exit code; see volsh job log %s"
                    .formatted(job.id(), job.id()));
            return ExitCode.FAILED.status();
        }
        return job.exit().orElse(0);
    }
}
