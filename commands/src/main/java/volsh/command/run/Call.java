package volsh.command.run;

import java.util.List;
import java.util.Optional;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import volsh.catalog.VolumePath;
import volsh.command.Action;
import volsh.command.GlobalOptions;
import volsh.command.directory.RelativeWords;
import volsh.command.failure.CommandFailure;

/** A parsed line: the command with its options set, the global options, and the words. */
public record Call(CommandSpec spec, GlobalOptions options, List<String> words) {

    /**
     * Understands {@code words}.
     *
     * @throws volsh.command.failure.CommandFailure with the mistake and suggestions
     */
    public static Call parse(CommandTree tree, List<String> words) {
        return parse(tree, words, Optional.empty());
    }

    /** As {@link #parse(CommandTree, List)} in this working directory; {@link #words} then has its paths in full. */
    static Call parse(CommandTree tree, List<String> words, Optional<VolumePath> directory) {
        boolean plain = directory.isEmpty() && !words.contains("ls");
        return understood(tree, plain ? words : new RelativeWords(tree.spec(words), directory).resolved(words));
    }

    private static Call understood(CommandTree tree, List<String> words) {
        try {
            return parsed(tree, words);
        } catch (ParameterException wrong) {
            throw new WrongLine(tree, words).explain(wrong);
        }
    }

    /** Parses with the commands that the words name and, if it is not the arguments that are wrong, with all. */
    private static Call parsed(CommandTree tree, List<String> words) {
        try {
            return parse(tree.parser(words), words);
        } catch (ParameterException wrong) {
            var spec = wrong.getCommandLine().getCommandSpec();
            if (spec.userObject() instanceof Action<?> && spec.subcommands().isEmpty()) {
                throw wrong;
            }
            return parse(tree.parser(null), words);
        }
    }

    /**
     * What is wrong with the words, if anything, as {@link #parse} would say it.
     *
     * @param partial more words will be there when the command runs, so that nothing counts as missing
     */
    static Optional<CommandFailure> problem(CommandTree tree, List<String> words, boolean partial) {
        try {
            return incomplete(parsed(tree, words));
        } catch (ParameterException wrong) {
            return partial && wrong instanceof MissingParameterException ? Optional.empty()
                    : Optional.of(new WrongLine(tree, words).explain(wrong));
        }
    }

    private static Optional<CommandFailure> incomplete(Call call) {
        return call.action().isPresent() ? Optional.empty() : Optional.of(CommandRunner.incomplete(call));
    }

    private static Call parse(CommandTree.Parser parser, List<String> words) {
        ParseResult result = parser.line().parseArgs(words.toArray(String[]::new));
        while (result.hasSubcommand()) {
            result = result.subcommand();
        }
        return new Call(result.commandSpec(), parser.options(), words);
    }

    /** The action; empty for a group without a command. */
    public Optional<Action<?>> action() {
        return spec.userObject() instanceof Action<?> action ? Optional.of(action) : Optional.empty();
    }
}
