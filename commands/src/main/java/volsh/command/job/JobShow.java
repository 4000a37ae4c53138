package volsh.command.job;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.Tabular;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.job.Job;

@Command(name = "show", description = "Show a job: its command, its process, how it ended.")
@Examples("volsh job show j1")
final class JobShow implements Action<Rows<Job>>, Tabular {
    @Parameters(paramLabel = "JOB", description = "Job to show.")
    private String id;

    @Override
    public Columns<?> columns() {
        return JobViews.ALL;
    }

    @Override
    public Rows<Job> run(Session session) throws Exception {
        return Rows.one(JobViews.ALL, JobViews.find(session, id));
    }
}
