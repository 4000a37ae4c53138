package volsh.command.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.command.Converters;
import volsh.command.Examples;
import volsh.command.Guard;
import volsh.command.InBackground;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.TestHost;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.run.CommandTree;
import volsh.command.run.Node;
import volsh.job.Jobs;

/** {@code --background} starts the same command as a job, after all that can be said beforehand. */
@Timeout(240)
final class BackgroundTest {
    @TempDir
    Path directory;

    @Command(name = "heal", description = "Heal.")
    @Examples("volsh heal x")
    static final class Heal implements Mutation<Void>, InBackground {
        @Option(names = InBackground.OPTION, description = "Go on in the background.")
        private boolean background;

        @Option(names = "--deep", description = "All.")
        private boolean deep;

        @Parameters(paramLabel = "VOLUME", description = "What.", arity = "1..*")
        private List<String> volumes;

        @Override
        public boolean background() {
            return background;
        }

        @Override
        public String title() {
            return "heal " + volumes.getFirst();
        }

        @Override
        public Columns<?> columns() {
            return Columns.NONE;
        }

        @Override
        public Plan plan(Session session) {
            if (volumes.contains("nosuch")) {
                throw CommandFailure.of(ExitCode.NOT_FOUND, "X-0003", "no such volume");
            }
            return Plan.of("heal", volumes.getFirst(), "");
        }

        @Override
        public Guard guard(Session session) {
            return volumes.contains("precious") ? new Guard.TypeName("really?", "precious") : new Guard.Ask("sure?");
        }

        @Override
        public Void run(Session session) {
            session.say("healed here");
            return null;
        }
    }

    /** Says it runs, and writes down its words. */
    private static final String RECORDER = "printf '%s\\n' \"$@\" > \"$VOLSH_JOB/../words\";"
            + " echo '{\"host\": \"there\", \"boot\": \"b\", \"pid\": 1, \"ticks\": 1}' > \"$VOLSH_JOB/p\"; "
            + "mv \"$VOLSH_JOB/p\" \"$VOLSH_JOB/process.json\"";

    private TestHost run(ExitCode expected, String... words) {
        var tree = new CommandTree(List.of(Node.command("heal", Heal::new)), Converters.standard());
        var host = new TestHost();
        host.services().with(Jobs.class,
                () -> new Jobs(directory, List.of("sh", "-c", RECORDER, "sh"), InstantSource.system()));
        assertThat(host.run(tree, words)).as(host.err()).isEqualTo(expected);
        return host;
    }

    private List<String> started() throws Exception {
        var words = Files.readAllLines(directory.resolve("words"));
        Files.delete(directory.resolve("words"));
        return words;
    }

    @Test
    void theSameWordsButThatOne() throws Exception {
        assertThat(run(ExitCode.OK, "heal", "--background", "-y", "--deep", "x").err())
                .contains("started job j1: heal x").doesNotContain("healed here");
        assertThat(started()).containsExactly("-y", "heal", "-y", "--deep", "x");
        run(ExitCode.OK, "heal", "--background", "-y", "--", "x", "--background");
        assertThat(started()).containsExactly("-y", "heal", "-y", "--", "x", "--background");
    }

    @Test
    void whatWasConfirmedHereIsNotAskedThere() throws Exception {
        run(ExitCode.USAGE, "heal", "--background", "x");
        run(ExitCode.USAGE, "heal", "--background", "-y", "precious");
        assertThat(directory.resolve("words")).doesNotExist();
        run(ExitCode.OK, "heal", "--background", "precious", "--confirm", "precious");
        assertThat(started()).containsExactly("--confirm", "precious", "heal", "precious", "--confirm", "precious");
    }

    @Test
    void whatCannotSucceedAndWhatIsOnlyPlannedStartsNothing() {
        run(ExitCode.NOT_FOUND, "heal", "--background", "-y", "nosuch");
        assertThat(run(ExitCode.OK, "heal", "--background", "-n", "x").out()).contains("heal");
        assertThat(run(ExitCode.OK, "heal", "-y", "x").err()).contains("healed here");
        assertThat(directory).isEmptyDirectory();
    }
}
