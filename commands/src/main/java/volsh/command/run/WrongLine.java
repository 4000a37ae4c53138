package volsh.command.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
import volsh.fs.ShellWord;

/** Explains what is wrong with a line, where, and suggests corrections. */
final class WrongLine {
    private static final int MOST_HINTS = 3;

    /** Options of other programs, and ours where a command has it. */
    private static final Map<String, String> ELSEWHERE = Map.of("force", "--lazy", "port", "--listen", "address",
            "--listen", "bind", "--listen", "endpoint-url", "--endpoint");

    private static final Set<String> FORMATS = Set.of("json", "jsonl", "csv", "tsv", "yaml");

    private final CommandTree tree;
    private final List<String> words;

    WrongLine(CommandTree tree, List<String> words) {
        this.tree = tree;
        this.words = words;
    }

    CommandFailure explain(ParameterException wrong) {
        CommandSpec spec = wrong.getCommandLine().getCommandSpec();
        if (wrong instanceof UnmatchedArgumentException unmatched && !unmatched.getUnmatched().isEmpty()) {
            List<String> rest = unmatched.getUnmatched();
            if (rest.getFirst().startsWith("-") && rest.getFirst().length() > 1) {
                return unknownOption(spec, whole(rest.getFirst(), words));
            }
            return spec.subcommands().isEmpty() ? unexpected(spec, rest.getFirst()) : unknownCommand(spec, rest);
        }
        CommandFailure failure = CommandFailure.usage(sentence(wrong));
        if (wrong.getArgSpec() instanceof OptionSpec option && option.longestName().equals("--output")
                && spec.findOption("-O") != null) {
            failure = failure.hint("did you mean -O %s ?".formatted(ShellWord.of(String.valueOf(wrong.getValue()))));
        }
        return wrong instanceof MissingParameterException missing ? usage(spec, described(missing, failure))
                : help(spec, failure);
    }

    /** With the first sentence about each thing that is missing. */
    private static CommandFailure described(MissingParameterException missing, CommandFailure failure) {
        CommandFailure told = failure;
        for (var argument : missing.getMissing()) {
            String name = argument instanceof OptionSpec option ? option.longestName() + " " + option.paramLabel()
                    : argument.paramLabel();
            String text = String.join(" ", argument.description()).replaceFirst("(?s)([.])\\s.*", "$1");
            told = text.isEmpty() ? told : told.detail(name + ": " + text);
        }
        return told;
    }

    /** picocli's message, beginning in lower case. */
    private static String sentence(ParameterException wrong) {
        String message = String.valueOf(wrong.getMessage())
                .replaceFirst("^Invalid value for positional parameter at index \\S+ \\(([^)]*)\\): ", "$1: ");
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
        for (String similar : name.length() > 2 ? similar(spec, name.replaceFirst("^-+", "")) : List.<String>of()) {
            failure = failure.hint("did you mean " + similar + " ?");
        }
        return help(spec, failure);
    }

    /** Names are compared without their dashes, which are no sign of a likeness. */
    private static List<String> similar(CommandSpec spec, String word) {
        if (FORMATS.contains(word)) {
            return List.of("-o " + word);
        }
        var names = new ArrayList<String>();
        for (OptionSpec option : spec.options()) {
            names.addAll(option.hidden() ? List.of() : OptionNames.shown(option));
        }
        names.removeIf(name -> !name.startsWith("--"));
        String own = ELSEWHERE.getOrDefault(word, "");
        if (names.contains(own)) {
            return List.of(own);
        }
        if (names.contains("--" + word)) {
            return List.of("--" + word);   // it had one dash
        }
        return Similar.to(word, names.stream().map(name -> name.substring(2)).toList()).stream()
                .map(name -> "--" + name).toList();
    }

    private CommandFailure unknownCommand(CommandSpec spec, List<String> rest) {
        int position = words.size() - rest.size();
        var before = new StringJoiner(" ");
        words.subList(0, position).forEach(word -> before.add(ShellWord.of(word)));
        String indent = " ".repeat(before.length() + (position == 0 ? 0 : 1));
        String wrong = ShellWord.of(rest.getFirst());
        String message = "unknown command '" + rest.getFirst() + "'";
        var failure = CommandFailure.of(ExitCode.UNKNOWN_COMMAND, "CLI-0127", message)
                .detail(line(words)).detail(indent + "^".repeat(wrong.length()));
        if (spec.parent() == null && ForeignWords.isAboutWorkingDirectory(rest.getFirst())) {
            return failure.detail("a single command has no working directory: use, cd and pwd work at the prompt"
                    + " (volsh), in scripts and with -c")
                    .hint(line(spec, ForeignWords.line(rest, spec)));
        }
        var meant = meant(spec, rest);
        if (meant.isEmpty() && spec.parent() != null) {
            failure = failure.detail("commands of %s: %s".formatted(spec.qualifiedName(),
                    String.join(", ", Manual.visible(spec).stream().map(CommandSpec::name).toList())));
        }
        for (String line : meant) {
            failure = failure.hint("did you mean: " + line);
        }
        return help(spec, failure);
    }

    /**
     * Lines that the user may have meant: what other systems call so, verb and noun swapped, a verb without its noun
     * or, if it is none, a word mistyped. Each is of a command that exists, and takes these words.
     */
    private List<String> meant(CommandSpec spec, List<String> rest) {
        var meant = new ArrayList<String>(elsewhere(spec, rest));
        String word = rest.getFirst();
        if (rest.size() > 1) {
            for (String noun : Similar.to(rest.get(1), groups(spec))) {
                CommandSpec group = CommandTree.below(spec, noun);
                verb(word, group).forEach(verb ->
                        meant.addAll(whole(spec, List.of(noun, verb), rest.subList(2, rest.size()))));
            }
        }
        for (String noun : meant.isEmpty() ? groups(spec) : List.<String>of()) {
            var verb = CommandTree.below(spec, noun).subcommands().get(word);
            if (verb != null && takes(verb.getCommandSpec(), rest.subList(1, rest.size()))) {
                meant.addAll(whole(spec, List.of(noun, word), rest.subList(1, rest.size())));
            }
        }
        for (String similar : meant.isEmpty() ? Similar.to(word, names(spec)) : List.<String>of()) {
            meant.addAll(corrected(spec, similar, rest.subList(1, rest.size())));
        }
        return meant.stream().distinct().limit(MOST_HINTS).toList();
    }

    /** At the top words of other programs; in a group another name of its command, or one that stands alone. */
    private List<String> elsewhere(CommandSpec spec, List<String> rest) {
        List<String> behind = rest.subList(1, rest.size());
        if (spec.parent() == null) {
            List<String> line = ForeignWords.line(rest, spec);
            boolean swapped = rest.size() > 1 && groups(spec).contains(rest.get(1));
            return line.isEmpty() || swapped ? List.of() : whole(spec, line, List.of());
        }
        String verb = ForeignWords.verb(rest.getFirst(), spec.subcommands().keySet());
        if (!verb.isEmpty()) {
            return whole(spec, List.of(verb), behind);
        }
        var alone = spec.root().subcommands().get(rest.getFirst());
        return alone == null || alone.getCommandSpec().usageMessage().hidden() ? List.of()
                : whole(spec.root(), List.of(rest.getFirst()), behind);
    }

    private static List<String> verb(String word, CommandSpec group) {
        var verbs = group.subcommands().keySet();
        String known = verbs.contains(word) ? "" : ForeignWords.verb(word, verbs);
        return known.isEmpty() ? Similar.to(word, verbs).stream().limit(1).toList() : List.of(known);
    }

    /** The line with this word first; behind that of a group there is a command of it, or nothing. */
    private List<String> corrected(CommandSpec spec, String word, List<String> rest) {
        var group = CommandTree.below(spec, word);
        var verbs = group.subcommands().keySet();
        if (verbs.isEmpty()) {
            return takes(group, rest) ? whole(spec, List.of(word), rest) : List.of();
        }
        if (rest.isEmpty() || verbs.contains(rest.getFirst()) || !group.positionalParameters().isEmpty()) {
            return whole(spec, List.of(word), rest);
        }
        return verb(rest.getFirst(), group).stream()
                .flatMap(verb -> whole(spec, List.of(word, verb), rest.subList(1, rest.size())).stream()).toList();
    }

    /** The line, if it can be understood; else the help of its command. */
    private List<String> whole(CommandSpec spec, List<String> command, List<String> rest) {
        var behind = new ArrayList<String>();
        for (CommandSpec at = spec; at.parent() != null; at = at.parent()) {
            behind.addFirst(at.name());
        }
        behind.addAll(command);
        behind.addAll(rest);
        if (isUnderstood(behind)) {
            return List.of(line(spec, command, rest));
        }
        var help = new ArrayList<String>();
        CommandSpec at = spec;
        for (String word : command) {
            at = at.subcommands().containsKey(word) ? at.subcommands().get(word).getCommandSpec() : at;
        }
        help.add(at.qualifiedName() + " --help");
        return help;
    }

    /** Whether the words are those of a command; more may have to follow. */
    boolean isUnderstood(List<String> line) {
        try {
            tree.parser(line).line().parseArgs(line.toArray(String[]::new));
            return true;
        } catch (MissingParameterException incomplete) {
            return true;
        } catch (ParameterException wrong) {
            return false;
        }
    }

    /** Does the command take such words at all? */
    private static boolean takes(CommandSpec command, List<String> rest) {
        return !command.positionalParameters().isEmpty() || !command.subcommands().isEmpty() || rest.isEmpty()
                || rest.getFirst().startsWith("-");
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

    private static String line(CommandSpec spec, List<String> command) {
        return line(spec, command, List.of());
    }

    static String line(List<String> words) {
        return ShellWord.of(words);
    }
}
