package volsh.command.job;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.job.Job;
import volsh.job.JobState;
import volsh.job.Jobs;
import volsh.unit.Span;

@Command(name = "cancel", description = {"Stop jobs, and return when they have stopped.",
        "Asks a job to stop (SIGTERM), and the job shuts down cleanly. Leaves ended jobs as they are."})
@Examples("volsh job cancel j1")
final class JobCancel implements Mutation<Rows<Job>> {
    private static final Duration LOOK = Duration.ofMillis(50);

    @Parameters(paramLabel = "JOB", arity = "1..*", description = "Jobs to stop.")
    private List<String> ids;

    @Option(names = "--timeout", paramLabel = "TIME", defaultValue = "40s",
            description = "Limit the time to stop (default: ${DEFAULT-VALUE}).")
    private Span timeout;

    @Option(names = "--force", description = "Kill the jobs at once (SIGKILL).")
    private boolean force;

    @Override
    public Columns<?> columns() {
        return JobViews.COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var plan = Plan.NOTHING;
        for (String id : ids) {
            Job job = JobViews.find(session, id);
            plan = job.state().isOpen() ? plan.then("cancel", "job " + id, job.title()) : plan;
        }
        return plan;
    }

    @Override
    public Rows<Job> run(Session session) throws Exception {
        for (String id : ids) {
            requireHere(JobViews.find(session, id));
        }
        for (String id : ids) {
            session.service(Jobs.class).cancel(id, force);
        }
        long limit = System.nanoTime() + timeout.duration().toNanos();
        var stopped = new ArrayList<Job>();
        for (String id : ids) {
            stopped.add(await(id, limit, session));
        }
        return Rows.of(JobViews.COLUMNS, stopped);
    }

    private static void requireHere(Job job) {
        if (job.state() == JobState.ELSEWHERE) {
            throw CommandFailure.of(ExitCode.UNAVAILABLE, "JOB-0006",
                    "job %s runs on host %s and can only be cancelled there".formatted(job.id(), job.host()))
                    .hint("ssh %s volsh job cancel %s".formatted(job.host(), job.id()));
        }
    }

    private Job await(String id, long limit, Session session) throws Exception {
        Job job = JobViews.find(session, id);
        while (job.state().isOpen()) {
            session.cancellation().check();
            if (System.nanoTime() >= limit) {
                throw CommandFailure.of(ExitCode.TIMEOUT, "JOB-0124",
                        "job %s did not stop within %s".formatted(id, timeout))
                        .detail("--force kills it at once: it cannot finish or clean up").hint("volsh job log " + id);
            }
            Thread.sleep(LOOK);
            job = JobViews.find(session, id);
        }
        return job;
    }
}
