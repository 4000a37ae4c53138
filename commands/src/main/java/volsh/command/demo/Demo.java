package volsh.command.demo;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.function.Function;
import picocli.CommandLine.Command;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Outcome;
import volsh.command.Services;
import volsh.command.Session;
import volsh.command.failure.ExitCode;
import volsh.command.render.OutputFormat;
import volsh.command.render.Rows;
import volsh.command.run.CommandTree;

@Command(name = "demo",
        description = {"Show what volsh does in less than a minute, in a scratch directory that is removed afterwards.",
        "Creates a volume and mounts it; other programs write and read a small data set there; then come the cache, a"
                + " snapshot, two checkpoints and the doctor. At last one stored bit is flipped, which must be"
                + " detected. Each line is shown as you would type it.",
        "Where volumes cannot be mounted, says why and copies the data set with put and get instead. Touches nothing"
                + " else on the machine. Exit 0 only if every claim holds."})
@Examples({"volsh demo", "volsh demo -o json"})
public final class Demo implements Action<Outcome<Rows<Story.Step>>> {
    /** The names of mount points in the scratch directory. */
    static final String MOUNT = "mnt";
    static final String PAST = "past";

    private final Function<Services, CommandTree> tree;
    private final Vandal vandal;

    /** Damages one of the files below a directory. */
    interface Vandal {
        Damage damage(Path store) throws IOException;
    }

    /** {@code tree} makes the program's commands for a home of the demo's own. */
    public Demo(Function<Services, CommandTree> tree) {
        this(tree, Damage::to);
    }

    Demo(Function<Services, CommandTree> tree, Vandal vandal) {
        this.tree = tree;
        this.vandal = vandal;
    }

    @Override
    public Outcome<Rows<Story.Step>> run(Session session) throws Exception {
        boolean table = session.options().output().kind() == OutputFormat.Kind.TABLE;
        boolean colour = session.options().color().allows(session.terminal().output(), session.environment());
        var story = new Story(table ? session.out() : OutputStream.nullOutputStream(), colour,
                session.terminal().output() ? session.width() : Integer.MAX_VALUE, session.cancellation());
        ExitCode exit = tell(story, session);
        return new Outcome<>(table ? null : Rows.of(Story.COLUMNS, story.steps()), exit);
    }

    private ExitCode tell(Story story, Session session) throws Exception {
        long start = System.nanoTime();
        try (var scratch = ScratchDirectory.make(session.environment());
                var home = new DemoHome(session, tree, scratch.path().resolve("home"))) {
            story.tell("Everything happens below %s, which is removed at the end.\n".formatted(scratch.path()));
            var proven = new Acts(new Stage(story, home, scratch.path(), session.cancellation()), vandal).play();
            story.end(true, "proven in %.1f s: %s".formatted((System.nanoTime() - start) / 1e9, proven));
            return ExitCode.OK;
        } catch (Story.Broken broken) {
            story.end(false, "NOT proven: " + broken.getMessage().strip());
            return ExitCode.INTEGRITY;
        }
    }
}
