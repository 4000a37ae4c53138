package volsh.command.typing;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import volsh.command.OptionNames;
import volsh.command.complete.Candidate;
import volsh.command.complete.Match;
import volsh.command.complete.SpecCompleter;
import volsh.command.man.Manual;

/**
 * Completes code by what it looks like: names of the session and the language, the verbs of nouns, named options of the
 * command that is called, and columns of rows. It knows values by nothing but their names, and so never calls anything.
 */
final class CodeCompleter {
    /** The end of the code: perhaps something with a dot, and the beginning of a name. */
    private static final Pattern NAME = Pattern.compile(
            "(?:(?<of>[a-zA-Z_][\\w.]*)(?<many>\\*?)\\??\\.)?(?<name>[a-zA-Z_]\\w*)?\\z");
    private static final Pattern CALL = Pattern.compile(
            "\\b(?<noun>[a-z]\\w*)(?:\\.(?<verb>[a-zA-Z]\\w*))?(?:\\(|\\s+(?![=.|?:+*/-]))");
    private static final Pattern STATEMENT = Pattern.compile("[;\\n{}]");
    private static final Map<String, List<String>> MANY = Map.of("volumes", List.of("volume", "list"), "stores",
            List.of("store", "list"), "mounts", List.of("mounts", "list"));
    private static final List<String> OF_LISTS = List.of("any", "collect", "count", "each", "every", "find", "findAll",
            "first", "groupBy", "join", "last", "max", "min", "size", "sort", "sum", "take");

    private final Lexicon lexicon;

    CodeCompleter(Lexicon lexicon) {
        this.lexicon = lexicon;
    }

    /** {@code columns} are those of the row that {@code it} is, if that is known. */
    Completed complete(String text, int start, List<String> columns) {
        Matcher end = NAME.matcher(text);
        boolean _ = end.find();
        String typed = end.group("name") == null ? "" : end.group("name");
        int at = text.length() - typed.length();
        boolean afterSomething = at > 0
                && (text.charAt(at - 1) == '.' || Character.isLetterOrDigit(text.charAt(at - 1)));
        List<Candidate> candidates = end.group("of") != null
                ? members(end.group("of"), !end.group("many").isEmpty(), text, columns)
                : afterSomething ? List.of() : Stream.concat(columns(columns).stream(), names(text).stream()).toList();
        return new Completed(start + at, typed, Match.best(candidates, typed));
    }

    /** A list of the language before a pipe, as the command that lists the same; anything else as it is. */
    static List<String> command(List<String> words) {
        return words.size() == 1 ? MANY.getOrDefault(words.getFirst(), words) : words;
    }

    private List<Candidate> members(String of, boolean each, String text, List<String> columns) {
        if (of.equals("it")) {
            return columns(columns.isEmpty() ? columnsNear(text) : columns);
        }
        if (MANY.containsKey(of)) {
            List<Candidate> lists = OF_LISTS.stream().map(name -> Candidate.code(name, "of a list")).toList();
            return each ? columns(titles(MANY.get(of))) : lists;
        }
        CommandLine noun = lexicon.tree().get().subcommands().get(of);
        return noun == null ? List.of() : verbs(noun.getCommandSpec());
    }

    private static List<Candidate> verbs(CommandSpec noun) {
        var verbs = new ArrayList<Candidate>();
        for (CommandSpec verb : Manual.visible(noun)) {
            verbs.add(Candidate.code(camel(verb.name()), Manual.summary(verb)));
        }
        if (noun.findOption("--ensure") != null) {
            verbs.add(Candidate.code("ensure", "Succeed if already in that state."));
        }
        return verbs;
    }

    private static List<Candidate> columns(List<String> names) {
        return names.stream().map(name -> Candidate.code(name, "column")).toList();
    }

    /** Inside of a block, {@code it} is one of what stands before: {@code volumes.findAll { it. }}. */
    private List<String> columnsNear(String text) {
        String nearest = "";
        int last = -1;
        for (String many : MANY.keySet()) {
            int at = text.lastIndexOf(many + ".");
            if (at > last) {
                last = at;
                nearest = many;
            }
        }
        return nearest.isEmpty() ? List.of() : titles(MANY.get(nearest));
    }

    private List<String> titles(List<String> path) {
        CommandSpec at = lexicon.tree().get();
        for (String word : path) {
            CommandLine next = at.subcommands().get(word);
            if (next == null) {
                return List.of();
            }
            at = next.getCommandSpec();
        }
        return SpecCompleter.titles(at);
    }

    /** Named options of the command that is being called come first. */
    private List<Candidate> names(String text) {
        var names = new ArrayList<Candidate>();
        called(text).ifPresent(spec -> options(spec, names));
        var tree = lexicon.tree().get();
        Set<String> known = lexicon.names().get();
        known.stream().sorted().forEach(name -> names.add(Candidate.code(name, described(tree, name))));
        Manual.visible(tree).stream().filter(noun -> !known.contains(noun.name()))
                .forEach(noun -> names.add(Candidate.code(noun.name(), Manual.summary(noun))));
        return names;
    }

    private static String described(CommandSpec tree, String name) {
        CommandLine noun = tree.subcommands().get(name);
        return noun == null ? "" : Manual.summary(noun.getCommandSpec());
    }

    /** The command whose arguments stand at the end of the code. */
    private Stream<CommandSpec> commands(String statement) {
        return CALL.matcher(statement).results().map(this::command).filter(spec -> spec != null);
    }

    private Optional<CommandSpec> called(String text) {
        String[] statements = STATEMENT.split(text, -1);
        return commands(statements[statements.length - 1]).reduce((earlier, later) -> later);
    }

    private CommandSpec command(MatchResult call) {
        CommandLine noun = lexicon.tree().get().subcommands().get(call.group(1));
        if (noun == null || call.group(2) == null) {
            return noun == null || !noun.getSubcommands().isEmpty() ? null : noun.getCommandSpec();
        }
        CommandLine verb = noun.getSubcommands().get(call.group(2));
        boolean flag = noun.getCommandSpec().findOption("--" + call.group(2)) != null;
        return verb != null ? verb.getCommandSpec() : flag ? noun.getCommandSpec() : null;
    }

    private static void options(CommandSpec spec, List<Candidate> names) {
        for (OptionSpec option : spec.options()) {
            if (!option.hidden() && !option.inherited()) {
                String name = camel(OptionNames.main(option).replaceFirst("^-+", ""));
                names.add(Candidate.code(name + ": ", option.description().length == 0 ? "" : option.description()[0]));
            }
        }
    }

    /** {@code block-size} is {@code blockSize} in code. */
    private static String camel(String name) {
        var camel = new StringBuilder();
        for (int i = 0; i < name.length(); i++) {
            boolean up = i > 0 && name.charAt(i - 1) == '-';
            if (name.charAt(i) != '-') {
                camel.append(up ? Character.toUpperCase(name.charAt(i)) : name.charAt(i));
            }
        }
        return camel.toString();
    }
}
