package volsh.command.complete;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import volsh.command.Converters;
import volsh.command.OptionNames;
import volsh.command.man.Manual;

/** Says what could stand at the cursor, by walking the command tree. Runs nothing. */
public final class SpecCompleter {
    private static final Set<String> LOCAL = Set.of("FILE", "DIR", "DIRECTORY");
    /** A label that has this in it takes local files beside what its source knows. */
    private static final String ALSO_LOCAL = "LOCAL";

    private final CommandSpec root;
    private final CompletionSources sources;

    public SpecCompleter(CommandSpec root, CompletionSources sources) {
        this.root = root;
        this.sources = sources;
    }

    /** Completes {@code typed}, the word at the cursor up to the cursor, after these whole words. */
    public Completion complete(List<String> words, String typed) {
        var walk = LineWalk.along(root, words);
        if (walk.awaiting() != null) {
            return value(walk.awaiting(), typed);
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

    private static Completion commands(CommandSpec spec, String typed) {
        var candidates = new ArrayList<Candidate>();
        for (CommandSpec sub : Manual.visible(spec)) {
            candidates.add(new Candidate(sub.name(), summary(sub.usageMessage().description()),
                    Candidate.Kind.COMMAND));
        }
        return matching(candidates, typed);
    }

    /** The command's own options first, then those of every command. */
    private static Completion options(LineWalk walk, String typed) {
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
        Completion values = value(option, typed.substring(equals + 1));
        String prefix = typed.substring(0, equals + 1);
        return new Completion(values.candidates().stream().map(value -> value.prefixed(prefix)).toList(),
                values.localFiles());
    }

    /** The value of an option; of a list {@code a,b}, its last item. */
    private Completion value(OptionSpec option, String typed) {
        int item = option.splitRegex().equals(",") ? typed.lastIndexOf(',') + 1 : 0;
        Completion values = values(option, typed.substring(item), Candidate.Kind.OPTION_VALUE);
        String before = typed.substring(0, item);
        return before.isEmpty() ? values
                : new Completion(values.candidates().stream().map(value -> value.prefixed(before)).toList(),
                        values.localFiles());
    }

    private Completion argument(LineWalk walk, String typed) {
        for (PositionalParamSpec parameter : walk.spec().positionalParameters()) {
            if (!parameter.hidden() && parameter.index().contains(walk.arguments())) {
                return values(parameter, typed, Candidate.Kind.POSITIONAL);
            }
        }
        return Completion.NOTHING;
    }

    private Completion values(ArgSpec argument, String typed, Candidate.Kind kind) {
        if (LOCAL.contains(argument.paramLabel())) {
            return Completion.LOCAL_FILES;
        }
        var candidates = new ArrayList<Candidate>();
        for (String word : declared(argument)) {
            candidates.add(new Candidate(word, "", kind));
        }
        for (Candidate live : sources.of(argument.paramLabel(), typed)) {
            candidates.add(live.as(kind));
        }
        var matching = matching(candidates, typed);
        return new Completion(matching.candidates(), argument.paramLabel().contains(ALSO_LOCAL));
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

    private static Completion matching(List<Candidate> candidates, String typed) {
        return new Completion(candidates.stream().filter(candidate -> candidate.word().startsWith(typed)).toList(),
                false);
    }

    private static String summary(String[] description) {
        return description.length == 0 ? "" : description[0];
    }
}
