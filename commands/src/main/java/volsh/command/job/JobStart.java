package volsh.command.job;

import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.PassesCommand;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.line.Shorthand;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.command.run.Call;
import volsh.command.run.CommandTree;
import volsh.job.Job;
import volsh.job.Jobs;

@Command(name = "start", description = {"Start a volsh command in its own process, and return when it runs.",
        "The job continues when this terminal is closed. Its log holds what it prints, and its exit code is kept"
                + " until the job is forgotten. A job cannot ask questions: give it -y, or --confirm NAME."})
@Examples({"volsh job start checkpoint verify training-data --run r1",
        "volsh job start --title nightly -- run nightly.groovy --step 3"})
final class JobStart implements Mutation<Rows<Job>>, PassesCommand {
    @Option(names = "--title", paramLabel = "TEXT",
            description = "Set the title in job list (default: the command itself).")
    private @Nullable String title;

    @Parameters(paramLabel = "COMMAND", arity = "1..*", description = "Command and its arguments, without volsh.")
    private List<String> words;

    private final Supplier<CommandTree> tree;

    JobStart(Supplier<CommandTree> tree) {
        this.tree = tree;
    }

    @Override
    public Columns<?> columns() {
        return JobViews.COLUMNS;
    }

    /** Parses the command, so that a wrong line fails here and not in the job. */
    private List<String> understood() {
        List<String> whole = Shorthand.expand(words);
        var call = Call.parse(tree.get(), whole);
        if (call.action().isEmpty()) {
            throw CommandFailure.usage("missing command of %s".formatted(call.spec().qualifiedName()))
                    .hint(call.spec().qualifiedName() + " --help");
        }
        return whole;
    }

    @Override
    public Plan plan(Session session) {
        return Plan.of("start", "job", JobViews.line(understood()));
    }

    @Override
    public Rows<Job> run(Session session) throws Exception {
        List<String> command = understood();
        return JobViews.started(session.service(Jobs.class)
                .start(command, title == null ? JobViews.line(command) : title), session);
    }
}
