package volsh.command.builtin;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.command.Action;
import volsh.command.Cancellation;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.run.CommandRunner;
import volsh.command.run.CommandTree;
import volsh.command.run.Words;

@Command(name = "selftrain", hidden = true, description = {"Run the command lines of a file in this process.",
        "The build trains the start-up cache with it: discards output and ignores failures."})
@Examples("volsh selftrain jlink/training.txt")
final class SelfTrain implements Action<SelfTrain.Trained> {
    @Parameters(paramLabel = "FILE",
            description = "File with one command line per line; skips empty lines and lines with #.")
    private Path file;

    private final CommandTree tree;

    /** The number of lines run, and of failures among them. */
    record Trained(int lines, int failed) {}

    SelfTrain(CommandTree tree) {
        this.tree = tree;
    }

    @Override
    public Trained run(Session session) throws IOException {
        var runner = new CommandRunner(tree, session.host().silent());
        int lines = 0;
        int failed = 0;
        for (String line : Files.readAllLines(file)) {
            if (!line.isBlank() && !line.startsWith("#")) {
                session.cancellation().check();
                lines++;
                failed += runner.run(Words.of(line), new Cancellation()).status() == 0 ? 0 : 1;
            }
        }
        return new Trained(lines, failed);
    }
}
