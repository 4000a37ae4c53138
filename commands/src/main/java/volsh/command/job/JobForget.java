package volsh.command.job;

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
import volsh.job.Jobs;
import volsh.unit.Count;

@Command(name = "forget", description = {"Remove the records and logs of ended jobs.",
        "Without it the last 200 are kept; starting a job removes older ones."})
@Examples({"volsh job forget j1", "volsh job forget --ended"})
final class JobForget implements Mutation<Rows<Job>> {
    @Parameters(paramLabel = "JOB", arity = "0..*", description = "Jobs to forget.")
    private List<String> ids = List.of();

    @Option(names = "--ended", description = "Forget all ended jobs.")
    private boolean ended;

    @Override
    public Columns<?> columns() {
        return JobViews.COLUMNS;
    }

    private List<Job> chosen(Session session) throws Exception {
        if (ended == !ids.isEmpty()) {
            throw CommandFailure.usage("missing job (or --ended)").hint("volsh job list");
        }
        var chosen = new ArrayList<Job>();
        for (String id : ids) {
            Job job = JobViews.find(session, id);
            if (job.state().isOpen()) {
                throw CommandFailure.of(ExitCode.BUSY, "JOB-0005",
                        "job %s has not ended: it is %s".formatted(id, job.state())).hint("volsh job wait " + id);
            }
            chosen.add(job);
        }
        if (ended) {
            session.service(Jobs.class).list().stream().filter(job -> !job.state().isOpen()).forEach(chosen::add);
        }
        return chosen;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var plan = Plan.NOTHING;
        for (Job job : chosen(session)) {
            plan = plan.then("forget", "job " + job.id(), job.title());
        }
        return plan;
    }

    @Override
    public Rows<Job> run(Session session) throws Exception {
        var chosen = chosen(session);
        for (Job job : chosen) {
            session.service(Jobs.class).forget(job.id());
        }
        session.say("forgot " + Count.of(chosen.size(), "job"));
        return Rows.of(JobViews.COLUMNS, chosen).told();
    }
}
