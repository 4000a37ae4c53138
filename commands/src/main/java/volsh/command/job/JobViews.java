package volsh.command.job;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.NoSuchElementException;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.fs.ShellWord;
import volsh.job.Job;
import volsh.job.Jobs;
import volsh.unit.Span;

/** Views of jobs. */
public final class JobViews {

    /** A job; {@code exit} is empty until it ends, {@code took} while it runs. */
    public static final Columns<Job> COLUMNS = Columns.of(Job.class)
            .text("id", Job::id)
            .text("state", Job::state)
            .number("exit", job -> job.exit().isPresent() ? job.exit().getAsInt() : null)
            .time("started", Job::started)
            .span("took", job -> job.ended().map(end -> took(job.started(), end)).orElse(null))
            .text("title", Job::title)
            .text("command", job -> line(job.command())).wide()
            .time("ended", job -> job.ended().orElse(null)).wide()
            .number("pid", job -> job.pid().isPresent() ? job.pid().getAsLong() : null).wide()
            .text("host", Job::host).wide()
            .text("directory", Job::directory).wide()
            .text("log", Job::log).wide();

    /** All columns of one job. */
    static final Columns<Job> ALL = Columns.of(Job.class)
            .text("id", Job::id)
            .text("state", Job::state)
            .number("exit", job -> job.exit().isPresent() ? job.exit().getAsInt() : null)
            .text("title", Job::title)
            .text("command", job -> line(job.command()))
            .text("directory", Job::directory)
            .time("started", Job::started)
            .time("ended", job -> job.ended().orElse(null))
            .span("took", job -> job.ended().map(end -> took(job.started(), end)).orElse(null))
            .number("pid", job -> job.pid().isPresent() ? job.pid().getAsLong() : null)
            .text("host", Job::host)
            .text("log", Job::log);

    private JobViews() {}

    private static Span took(Instant started, Instant ended) {
        return new Span(Duration.ofMillis(Math.max(0, Duration.between(started, ended).toMillis())));
    }

    /** A command as a user would type it. */
    static String line(List<String> words) {
        return ShellWord.of(words);
    }

    /** Reports a job that has just started. */
    public static Rows<Job> started(Job job, Session session) {
        session.say("started job %s: %s".formatted(job.id(), job.title()));
        session.say("  volsh job log %s -f     volsh job wait %s     volsh job cancel %s"
                .formatted(job.id(), job.id(), job.id()));
        return Rows.one(COLUMNS, job).told();
    }

    static Job find(Session session, String id) throws Exception {
        try {
            return session.service(Jobs.class).find(id);
        } catch (NoSuchElementException none) {
            throw CommandFailure.of(ExitCode.NOT_FOUND, "JOB-0003", none.getMessage()).hint("volsh job list");
        }
    }
}
