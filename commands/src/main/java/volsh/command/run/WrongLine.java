package volsh.command.run;

import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;
import volsh.command.OptionNames;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.failure.Similar;
import volsh.command.man.Manual;

/** Explains what is wrong with a line, where, and suggests corrections. */
final class WrongLine {
    private static final int MOST_HINTS = 3;

    private WrongLine() {}

    static CommandFailure explain(ParameterException wrong, List<String> words) {
        CommandSpec spec = wrong.getCommandLine().getCommandSpec();
        if (wrong instanceof UnmatchedArgumentException unmatched && !unmatched.getUnmatched().isEmpty()) {
            List<String> rest = unmatched.getUnmatched();
            if (rest.getFirst().startsWith("-") && rest.getFirst().length() > 1) {
                return unknownOption(spec, whole(rest.getFirst(), words));
            }
            return spec.subcommands().isEmpty() ? unexpected(spec, rest.getFirst()) : unknownCommand(spec, rest, words);
        }
        CommandFailure failure = CommandFailure.usage(sentence(wrong));
        return wrong instanceof MissingParameterException ? usage(spec, failure) : help(spec, failure);
    }

    /** picocli's message, beginning in lower case. */
    private static String sentence(ParameterException wrong) {
        String message = wrong.getMessage();
        return message.startsWith("Missing required") ? "m" + message.substring(1) : message;
    }

    private static CommandFailure unexpected(CommandSpec spec, String word) {
        return usage(spec, CommandFailure.usage("unexpected argument '" + word + "'"));
    }

    private static CommandFailure usage(CommandSpec spec, CommandFailure failure) {
        return help(spec, failure.detail("usage: " + Manual.of(spec).synopsis()));
    }

    private static CommandFailure help(CommandSpec spec, CommandFailure failure) {
        return failure.hint(spec.qualifiedName() + " --help");
    }

    /** The word as the user typed it: picocli reports only the unknown letters after one dash. */
    private static String whole(String reported, List<String> words) {
        if (reported.startsWith("--") || words.contains(reported)) {
            return reported;
        }
        return words.stream().filter(word -> word.startsWith("-") && word.endsWith(reported.substring(1))).findFirst()
                .orElse(reported);
    }

    private static CommandFailure unknownOption(CommandSpec spec, String word) {
        String name = word.startsWith("--") && word.indexOf('=') > 0 ? word.substring(0, word.indexOf('=')) : word;
        var failure = CommandFailure.usage("unknown option '" + name + "' of " + spec.qualifiedName());
        var names = new ArrayList<String>();
        for (OptionSpec option : spec.options()) {
            names.addAll(option.hidden() ? List.of() : OptionNames.shown(option));
        }
        String meant = name.startsWith("--") ? name : "-" + name;
        for (String similar : name.length() > 2 ? Similar.to(meant, names) : List.<String>of()) {
            failure = failure.hint("did you mean " + similar + " ?");
        }
        return help(spec, failure);
    }

    private static CommandFailure unknownCommand(CommandSpec spec, List<String> rest, List<String> words) {
        int position = words.size() - rest.size();
        var before = new StringJoiner(" ");
        words.subList(0, position).forEach(word -> before.add(quoted(word)));
        String indent = " ".repeat(before.length() + (position == 0 ? 0 : 1));
        String wrong = quoted(rest.getFirst());
        String message = "unknown command '" + rest.getFirst() + "'";
        var failure = CommandFailure.of(ExitCode.UNKNOWN_COMMAND, "CLI-0127", message)
                .detail(line(words)).detail(indent + "^".repeat(wrong.length()));
        for (String meant : meant(spec, rest)) {
            failure = failure.hint("did you mean: " + meant);
        }
        return help(spec, failure);
    }

    /** Lines that the user may have meant: verb and noun swapped, a verb without its noun or, if it is none, a word mistyped. Each is of a command that exists. */
    private static List<String> meant(CommandSpec spec, List<String> rest) {
        var meant = new ArrayList<String>();
        String word = rest.getFirst();
        if (rest.size() > 1) {
            for (String noun : Similar.to(rest.get(1), groups(spec))) {
                CommandSpec group = spec.subcommands().get(noun).getCommandSpec();
                Similar.to(word, group.subcommands().keySet()).stream().limit(1)
                        .forEach(verb -> meant.add(line(spec, List.of(noun, verb), rest.subList(2, rest.size()))));
            }
        }
        for (String noun : groups(spec)) {
            var verb = spec.subcommands().get(noun).getSubcommands().get(word);
            if (verb != null && takes(verb.getCommandSpec(), rest.subList(1, rest.size()))) {
                meant.add(line(spec, List.of(noun, word), rest.subList(1, rest.size())));
            }
        }
        for (String similar : meant.isEmpty() ? Similar.to(word, names(spec)) : List.<String>of()) {
            meant.addAll(corrected(spec, similar, rest.subList(1, rest.size())));
        }
        return meant.stream().distinct().limit(MOST_HINTS).toList();
    }

    /** The line with this word first; behind that of a group there is a command of it, or nothing. */
    private static List<String> corrected(CommandSpec spec, String word, List<String> rest) {
        var verbs = spec.subcommands().get(word).getSubcommands().keySet();
        if (verbs.isEmpty()) {
            return takes(spec.subcommands().get(word).getCommandSpec(), rest) ? List.of(line(spec, List.of(word), rest)) : List.of();
        }
        if (rest.isEmpty() || verbs.contains(rest.getFirst())) {
            return List.of(line(spec, List.of(word), rest));
        }
        return Similar.to(rest.getFirst(), verbs).stream().limit(1).map(verb -> line(spec, List.of(word, verb), rest.subList(1, rest.size()))).toList();
    }

    /** Does the command take such words at all? */
    private static boolean takes(CommandSpec command, List<String> rest) {
        return !command.positionalParameters().isEmpty() || !command.subcommands().isEmpty() || rest.isEmpty() || rest.getFirst().startsWith("-");
    }

    private static List<String> groups(CommandSpec spec) {
        return Manual.visible(spec).stream().filter(sub -> !sub.subcommands().isEmpty()).map(CommandSpec::name)
                .toList();
    }

    private static List<String> names(CommandSpec spec) {
        var names = new ArrayList<String>();
        for (CommandSpec sub : Manual.visible(spec)) {
            names.add(sub.name());
            names.addAll(List.of(sub.aliases()));
        }
        return names;
    }

    private static String line(CommandSpec spec, List<String> command, List<String> rest) {
        var line = new ArrayList<>(command);
        line.addAll(rest);
        return spec.qualifiedName() + " " + line(line);
    }

    private static String line(List<String> words) {
        var line = new StringJoiner(" ");
        words.forEach(word -> line.add(quoted(word)));
        return line.toString();
    }

    /** A word as one would type it in a shell. */
    static String quoted(String word) {
        for (int i = 0; i < word.length(); i++) {
            char c = word.charAt(i);
            if (!Character.isLetterOrDigit(c) && "-_./:=@%+,".indexOf(c) < 0) {
                return "'" + word.replace("'", "'\\''") + "'";
            }
        }
        return word.isEmpty() ? "''" : word;
    }
}
