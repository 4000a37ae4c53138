package volsh.command.builtin;

import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.failure.Similar;

/** Finds a command in the tree by its words. */
final class Found {
    private Found() {}

    static CommandSpec command(CommandSpec root, List<String> words) {
        CommandSpec spec = root;
        for (String word : words) {
            CommandLine next = spec.subcommands().get(word);
            if (next == null) {
                throw missing(spec, word);
            }
            spec = next.getCommandSpec();
        }
        return spec;
    }

    private static CommandFailure missing(CommandSpec spec, String word) {
        String message = "unknown command '" + spec.qualifiedName() + " " + word + "'";
        var failure = CommandFailure.of(ExitCode.UNKNOWN_COMMAND, "CLI-0127", message);
        for (String similar : Similar.to(word, spec.subcommands().keySet())) {
            failure = failure.hint("did you mean: " + spec.qualifiedName() + " " + similar);
        }
        return failure;
    }
}
