package volsh.command.builtin;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.failure.Similar;
import volsh.command.man.Topic;
import volsh.fs.ShellWord;

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
        boolean top = spec.parent() == null;
        String message = top ? "no such command or topic: '" + word + "'"
                : "unknown command '" + spec.qualifiedName() + " " + word + "'";
        var failure = CommandFailure.of(ExitCode.UNKNOWN_COMMAND, "CLI-0127", message);
        var names = new ArrayList<>(spec.subcommands().keySet());
        if (top) {
            Topic.all().forEach(topic -> names.add(topic.name()));
        }
        String before = top ? "volsh help " : spec.qualifiedName() + " ";
        for (String similar : Similar.to(word, names)) {
            failure = failure.hint("did you mean: " + before + similar);
        }
        return top ? failure.hint("volsh help --search " + ShellWord.of(word)) : failure;
    }
}
