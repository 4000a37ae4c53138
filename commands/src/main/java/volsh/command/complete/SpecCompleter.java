package volsh.command.complete;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import volsh.command.Converters;
import volsh.command.OptionNames;
import volsh.command.PassesCommand;
import volsh.command.Tabular;
import volsh.command.man.Manual;
import volsh.command.man.Topic;

/** Completes the word at the cursor by walking the command tree. Runs no command. */
public final class SpecCompleter {
    /** A label that contains one of these also completes local files. */
    private static final Set<String> LOCAL = Set.of("FILE", "DIR", "DIRECTORY", "MOUNT", "LOCAL");
    private static final LocalFiles FILES = new LocalFiles();

    private final CommandSpec root;
    private final CompletionSources sources;
    private final Matching matching;
    private final boolean ownFiles;

    /** Which of the candidates fit what is typed, in what order. */
    private interface Matching {
        List<Candidate> of(List<Candidate> candidates, String typed);
    }

    private SpecCompleter(CommandSpec root, CompletionSources sources, Matching matching, boolean ownFiles) {
        this.root = root;
        this.sources = sources;
        this.matching = matching;
        this.ownFiles = ownFiles;
    }

    /** For a shell that takes words which begin as typed, and completes local files itself. */
    public SpecCompleter(CommandSpec root, CompletionSources sources) {
        this(root, sources, Match::beginning, false);
    }

    /** For a shell that finds words by any of their letters itself. */
    public static SpecCompleter loose(CommandSpec root, CompletionSources sources) {
        return new SpecCompleter(root, sources, Match::best, false);
    }

    /** For our own prompt: words found by a few of their letters, local files among them. */
    public static SpecCompleter atPrompt(CommandSpec root, CompletionSources sources) {
        return new SpecCompleter(root, sources, Match::best, true);
    }

    /** Completes {@code typed}, the word at the cursor up to the cursor, after these whole words. */
    public Completion complete(List<String> words, String typed) {
        var walk = LineWalk.along(root, words);
        if (walk.spec().userObject() instanceof PassesCommand && (walk.arguments() > 0 || !typed.startsWith("-"))) {
            return complete(walk.words(), typed);
        }
        if (walk.awaiting() != null) {
            return value(walk, walk.awaiting(), typed);
        }
        if (!walk.optionsEnded() && typed.startsWith("-") && !typed.equals("-")) {
            int equals = typed.indexOf('=');
            return equals < 0 ? options(walk, typed) : attached(walk, typed, equals);
        }
        if (!walk.optionsEnded() && typed.equals("-")) {
            return options(walk, typed);
        }
        return isCommand(walk, typed) ? commands(walk.spec(), typed) : argument(walk, typed);
    }

    /** Where a command may follow and an argument too, it is one of the commands only if it begins like one. */
    private static boolean isCommand(LineWalk walk, String typed) {
        var commands = walk.spec().subcommands().keySet();
        return walk.arguments() == 0 && !commands.isEmpty() && (walk.spec().positionalParameters().isEmpty()
                || !typed.isEmpty() && commands.stream().anyMatch(name -> name.startsWith(typed)));
    }

    private Completion commands(CommandSpec spec, String typed) {
        return matching(named(spec), typed);
    }

    private static List<Candidate> named(CommandSpec spec) {
        var candidates = new ArrayList<Candidate>();
        for (CommandSpec sub : Manual.visible(spec)) {
            candidates.add(new Candidate(sub.name(), summary(sub.usageMessage().description()),
                    Candidate.Kind.COMMAND));
        }
        return candidates;
    }

    /** The command's own options first, then those of every command. */
    private Completion options(LineWalk walk, String typed) {
        var own = new ArrayList<Candidate>();
        var inherited = new ArrayList<Candidate>();
        for (OptionSpec option : walk.spec().options()) {
            if (!option.hidden() && walk.open(option)) {
                String name = name(option, typed);
                var candidate = new Candidate(name, summary(option.description()), Candidate.Kind.OPTION);
                (option.inherited() ? inherited : own).add(candidate);
            }
        }
        own.addAll(inherited);
        return matching(own, typed);
    }

    /** The long name, unless exactly a short one is typed. */
    private static String name(OptionSpec option, String typed) {
        boolean asTyped = typed.length() == 2 && !typed.equals("--") && List.of(option.names()).contains(typed);
        return asTyped ? typed : OptionNames.main(option);
    }

    /** {@code --option=value}. */
    private Completion attached(LineWalk walk, String typed, int equals) {
        OptionSpec option = walk.spec().findOption(typed.substring(0, equals));
        if (!LineWalk.takesValue(option)) {
            return Completion.NOTHING;
        }
        Completion values = value(walk, option, typed.substring(equals + 1));
        String prefix = typed.substring(0, equals + 1);
        return new Completion(values.candidates().stream().map(value -> value.prefixed(prefix)).toList(),
                values.localFiles());
    }

    /** The value of an option; of a list {@code a,b}, its last item. */
    private Completion value(LineWalk walk, OptionSpec option, String typed) {
        int item = option.splitRegex().equals(",") ? typed.lastIndexOf(',') + 1 : 0;
        Completion values = values(walk, option, typed.substring(item), Candidate.Kind.OPTION_VALUE);
        String before = typed.substring(0, item);
        return before.isEmpty() ? values
                : new Completion(values.candidates().stream().map(value -> value.prefixed(before)).toList(),
                        values.localFiles());
    }

    private Completion argument(LineWalk walk, String typed) {
        for (PositionalParamSpec parameter : walk.spec().positionalParameters()) {
            if (!parameter.hidden() && parameter.index().contains(walk.arguments())) {
                return values(walk, parameter, typed, Candidate.Kind.POSITIONAL);
            }
        }
        return Completion.NOTHING;
    }

    private Completion values(LineWalk walk, ArgSpec argument, String typed, Candidate.Kind kind) {
        var candidates = new ArrayList<Candidate>();
        for (String word : declared(argument)) {
            candidates.add(new Candidate(word, "", kind));
        }
        candidates.addAll(known(walk, argument, typed));
        for (Candidate live : sources.of(labels(argument), typed, walk.given())) {
            candidates.add(live.as(kind));
        }
        boolean local = Arrays.stream(argument.paramLabel().split("\\|")).anyMatch(LOCAL::contains);
        if (local && ownFiles) {
            candidates.addAll(sources.ask(FILES, typed));
        }
        return new Completion(matching(candidates, typed).candidates(), local && !ownFiles);
    }

    private static List<String> labels(ArgSpec argument) {
        return argument instanceof OptionSpec option ? List.of(option.longestName(), argument.paramLabel())
                : List.of(argument.paramLabel());
    }

    /** What the tree itself knows: columns of the command's rows, and names of commands. */
    private List<Candidate> known(LineWalk walk, ArgSpec argument, String typed) {
        return switch (argument.paramLabel()) {
            case "COLUMN" -> columns(walk.spec(), typed.startsWith("-") ? "-" : "");
            case "CONDITION" -> condition(walk.spec(), typed);
            case "FORMAT" -> typed.startsWith("value:") ? columns(walk.spec(), "value:") : List.of();
            case "COMMAND" -> explained(walk.words());
            default -> List.of();
        };
    }

    /** Columns, where a condition may name one: at its beginning, and behind {@code and}, {@code or}, {@code not}. */
    private static List<Candidate> condition(CommandSpec spec, String typed) {
        String before = typed.substring(0, Math.max(typed.lastIndexOf(' '), typed.lastIndexOf('(')) + 1);
        return before.isBlank() || before.matches("(?is).*(\\b(and|or|not) |\\()") ? columns(spec, before) : List.of();
    }

    private static List<Candidate> columns(CommandSpec spec, String before) {
        return titles(spec).stream().map(title -> new Candidate(before + title, "column", Candidate.Kind.OPTION_VALUE))
                .toList();
    }

    /** The columns of the rows that a command answers with; none if it does not tell. */
    public static List<String> titles(CommandSpec spec) {
        return spec.userObject() instanceof Tabular rows ? rows.columns().titles() : List.of();
    }

    /** Commands below those that are named already, and at the top the topics of help. */
    private List<Candidate> explained(List<String> words) {
        CommandSpec at = root;
        for (String word : words) {
            CommandLine next = at.subcommands().get(word);
            at = next == null ? CommandSpec.create() : next.getCommandSpec();
        }
        var candidates = new ArrayList<>(named(at));
        if (words.isEmpty()) {
            Topic.all().forEach(topic ->
                    candidates.add(new Candidate(topic.name(), topic.summary(), Candidate.Kind.POSITIONAL)));
        }
        return candidates;
    }

    private static Iterable<String> declared(ArgSpec argument) {
        Class<?> type = argument.auxiliaryTypes()[0];
        if (type.isEnum()) {
            var words = new ArrayList<String>();
            for (Object constant : type.getEnumConstants()) {
                words.add(Converters.word(constant));
            }
            return words;
        }
        return argument.completionCandidates() == null ? List.of() : argument.completionCandidates();
    }

    private Completion matching(List<Candidate> candidates, String typed) {
        return new Completion(matching.of(candidates, typed), false);
    }

    private static String summary(String[] description) {
        return description.length == 0 ? "" : description[0];
    }
}
