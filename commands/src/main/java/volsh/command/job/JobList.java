package volsh.command.job;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import volsh.command.Action;
import volsh.command.Listing;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.job.Job;
import volsh.job.Jobs;

@Command(name = "list", description = {"List all jobs of this home, oldest first.",
        "STATE is starting, running, done, failed, cancelled, lost (its process is gone and recorded no end), or"
                + " elsewhere (on another host)."})
@Examples({"volsh job list", "volsh job list --running -o json"})
final class JobList implements Action<Rows<Job>>, Listing {
    @Option(names = "--running", description = "List only jobs that have not ended.")
    private boolean running;

    @Override
    public Columns<?> columns() {
        return JobViews.COLUMNS;
    }

    @Override
    public Rows<Job> run(Session session) throws Exception {
        var jobs = session.service(Jobs.class).list();
        return Rows.of(JobViews.COLUMNS, jobs.stream().filter(job -> !running || job.state().isOpen()).toList());
    }
}
