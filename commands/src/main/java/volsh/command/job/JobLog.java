package volsh.command.job;

import java.io.InputStream;
import java.nio.file.Files;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.job.Job;

@Command(name = "log", description = "Print the output of a job, results and messages.")
@Examples({"volsh job log j1", "volsh job log j1 --follow"})
final class JobLog implements Action<Void> {
    private static final Duration LOOK = Duration.ofMillis(200);

    @Parameters(paramLabel = "JOB", description = "Job to print.")
    private String id;

    @Option(names = {"-f", "--follow"}, description = "Continue until the job ends.")
    private boolean follow;

    @Override
    public Void run(Session session) throws Exception {
        Job job = JobViews.find(session, id);
        try (InputStream log = Files.newInputStream(job.log())) {
            log.transferTo(session.out());
            while (follow && job.state().isOpen()) {
                session.out().flush();
                pause(session);
                job = JobViews.find(session, id);
                log.transferTo(session.out());
            }
        }
        session.out().flush();
        return null;
    }

    private static void pause(Session session) throws InterruptedException {
        try (var _ = session.cancellation().interrupting()) {
            session.cancellation().check();
            Thread.sleep(LOOK);
        } catch (InterruptedException stopped) {
            session.cancellation().check();
            throw stopped;
        }
    }
}
