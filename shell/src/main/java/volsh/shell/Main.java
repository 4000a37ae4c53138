package volsh.shell;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.List;
import volsh.command.Cancellation;
import volsh.command.Converters;
import volsh.command.Host;
import volsh.command.Services;
import volsh.command.builtin.Builtins;
import volsh.command.complete.CompletionSources;
import volsh.command.console.ProcessTerminal;
import volsh.command.failure.ExitCode;
import volsh.command.run.CommandRunner;
import volsh.command.run.CommandTree;

/** Runs the command that the arguments name, once, and ends the process with its exit code. */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) {
        System.setProperty("picocli.disable.closures",
                "true"); // else picocli loads Groovy when it is on the class path
        var cancellation = new Cancellation();
        int status;
        try (var _ = Signals.cancel(cancellation)) {
            status = run(List.of(arguments), cancellation).status();
        }
        System.exit(status);
    }

    private static ExitCode run(List<String> words, Cancellation cancellation) {
        try (var services = new Services()) {
            var host = new Host(new FileInputStream(FileDescriptor.in), new FileOutputStream(FileDescriptor.out),
                    new FileOutputStream(FileDescriptor.err), System.getenv(), InstantSource.system(),
                    ZoneId::systemDefault, ProcessTerminal.detect(), services);
            return new CommandRunner(tree(), host).run(words, cancellation);
        } catch (IOException unclosed) {
            new PrintStream(new FileOutputStream(FileDescriptor.err)).println("error: " + unclosed.getMessage());
            return ExitCode.FAILED;
        }
    }

    /** Every command of the program. */
    static CommandTree tree() {
        return Builtins.tree(List.of(), Converters.standard(), new CompletionSources());
    }
}
