package volsh.script;

import java.util.List;
import volsh.command.Cancellation;
import volsh.command.line.Job;
import volsh.command.line.Jobs;
import volsh.command.line.Stop;
import volsh.command.render.Row;

/** A job in code: a row of {@code jobs} that can be stopped and waited for. */
public final class ScriptJob extends Row {
    private final Job job;

    private ScriptJob(Job job) {
        super((Row) Row.value(job.row()));
        this.job = job;
    }

    static List<ScriptJob> all(Jobs jobs) {
        return jobs.all().stream().map(ScriptJob::new).toList();
    }

    /** Asks it to stop. */
    public void kill() {
        job.stop();
    }

    /** Waits for its end. @return what it ended with */
    public int join() throws InterruptedException {
        return Jobs.await(List.of(job), Stop.current(new Cancellation()));
    }
}
