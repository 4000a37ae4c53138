package volsh.command.line;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import volsh.command.GlobalOptions;
import volsh.command.failure.CommandFailure;

/**
 * The words behind a script: options of every command, which hold there as they do before it, and the script's own
 * arguments. {@code -n} and {@code --dry-run} are never the script's; any other option is, if the script declares it in
 * {@code cli { }}. Words behind {@code --} are always arguments.
 *
 * @param options   the options of every command, with their values
 * @param arguments the other words; {@code --} is among them only if it was to be kept
 */
public record ScriptWords(List<String> options, List<String> arguments) {
    /** Names that no script can give to an option of its own. */
    private static final List<String> DRY_RUN = List.of("-n", "--dry-run");
    private static final Pattern DECLARES = Pattern.compile("(?m)^\\s*cli\\s*[({]");
    private static final String FLAGS_OF_RUN = "ki";

    /** Whether a script declares options, so that only {@code cli { }} can tell which words are its own. */
    static boolean isDeclaring(String text) {
        return DECLARES.matcher(text).find();
    }

    /** Whether the name, without dashes, always means a dry run. */
    public static boolean meansDryRun(String name) {
        return name.equals("n") || name.equals("dry-run") || name.equals("dryRun");
    }

    /** All options of every command apart from the arguments, and {@code --} left out. */
    static ScriptWords all(List<String> words) {
        return split(words, _ -> true, false);
    }

    /** Only the wish for a dry run apart; all other words, and {@code --}, are left for {@code cli { }}. */
    static ScriptWords dryRun(List<String> words) {
        return split(words, DRY_RUN::contains, true);
    }

    /** Apart what the script did not declare; {@code declared} knows its options by their names without dashes. */
    public static ScriptWords undeclared(List<String> words, Predicate<String> declared) {
        return split(words, name -> !declared.test(name.replaceFirst("^--?", "")), true);
    }

    private static ScriptWords split(List<String> words, Predicate<String> taken, boolean keepEnd) {
        var options = new ArrayList<String>();
        var arguments = new ArrayList<String>();
        Map<String, OptionSpec> known = words.stream().anyMatch(word -> word.startsWith("-"))
                ? CommandSpec.forAnnotatedObject(new GlobalOptions()).optionsMap() : Map.of();
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            if (word.equals("--")) {
                arguments.addAll(words.subList(keepEnd ? i : i + 1, words.size()));
                break;
            }
            List<String> names = names(word, known);
            if (names.isEmpty() || names.stream().noneMatch(taken)) {
                arguments.add(word);
                continue;
            }
            options.add(word);
            if (awaits(word, Objects.requireNonNull(known.get(names.getLast()))) && i + 1 < words.size()) {
                options.add(words.get(++i));
            }
        }
        return new ScriptWords(List.copyOf(options), List.copyOf(arguments));
    }

    /** The options of every command that the word names: a long one, or letters behind a dash. */
    private static List<String> names(String word, Map<String, OptionSpec> known) {
        if (word.startsWith("--")) {
            String name = word.split("=", 2)[0];
            return known.containsKey(name) ? List.of(name) : List.of();
        }
        var names = new ArrayList<String>();
        boolean strange = false;
        for (int i = 1; word.startsWith("-") && i < word.length(); i++) {
            String name = "-" + word.charAt(i);
            if (known.containsKey(name)) {
                names.add(name);
                if (known.get(name).arity().max() > 0) {
                    break;   // the rest is its value
                }
            } else if (FLAGS_OF_RUN.indexOf(word.charAt(i)) >= 0) {
                strange = true;
            } else {
                return List.of();
            }
        }
        if (strange && names.contains("-n")) {
            throw apart(word);
        }
        return strange ? List.of() : names;
    }

    /** Whether the value of the option is the next word. */
    private static boolean awaits(String word, OptionSpec option) {
        boolean attached = word.startsWith("--") ? word.contains("=")
                : !("-" + word.charAt(word.length() - 1)).equals(option.shortestName());
        return option.arity().max() > 0 && !attached;
    }

    private static CommandFailure apart(String word) {
        return CommandFailure.usage("'" + word + "' behind a script mixes -n with options of run")
                .hint("write -n as a word of its own for a dry run, or -- before arguments of the script");
    }
}
