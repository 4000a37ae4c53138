package volsh.command.complete;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Where the words before the cursor lead: to which command, past how many arguments, and into which option's value. */
public final class LineWalk {
    private final Set<OptionSpec> used = new HashSet<>();
    private final List<String> words = new ArrayList<>();
    private final Map<String, String> given = new HashMap<>();
    private final List<Value> values = new ArrayList<>();
    private int passed;
    private CommandSpec spec;
    private boolean optionsEnded;
    private @Nullable OptionSpec awaiting;

    /**
     * A value in the line.
     *
     * @param index  of an argument its position among the arguments; of an option -1
     * @param word   which word of the line has it
     * @param before what stands before it in the word, such as {@code --to=}
     */
    public record Value(ArgSpec argument, int index, int word, String before, String text) {}

    private LineWalk(CommandSpec root) {
        this.spec = root;
    }

    /** From the top of the tree past these words. */
    public static LineWalk along(CommandSpec root, List<String> words) {
        var walk = new LineWalk(root);
        words.forEach(walk::step);
        return walk;
    }

    /** Past one more word. */
    public void step(String word) {
        pass(word);
        passed++;
    }

    private void pass(String word) {
        if (awaiting != null) {
            note(awaiting, "", word);
            awaiting = null;
        } else if (!optionsEnded && word.equals("--")) {
            optionsEnded = true;
        } else if (!optionsEnded && word.startsWith("--")) {
            longOption(word);
        } else if (!optionsEnded && word.startsWith("-") && word.length() > 1) {
            shortOptions(word);
        } else if (words.isEmpty() && spec.subcommands().containsKey(word)) {
            spec = spec.subcommands().get(word).getCommandSpec();
        } else {
            spec.positionalParameters().stream().filter(parameter -> parameter.index().contains(words.size()))
                    .findFirst().ifPresent(parameter -> {
                        labelled(parameter.paramLabel(), word);
                        values.add(new Value(parameter, words.size(), passed, "", word));
                    });
            words.add(word);
            optionsEnded |= spec.parser().stopAtPositional();
        }
    }

    /** Of {@code VOLUME|DIRECTORY} it may be either. */
    private void labelled(String label, String word) {
        given.putIfAbsent(label, word);
        for (String either : label.split("\\|")) {
            given.putIfAbsent(either, word);
        }
    }

    private void longOption(String word) {
        int equals = word.indexOf('=');
        OptionSpec option = use(equals < 0 ? word : word.substring(0, equals));
        if (equals < 0 && takesValue(option)) {
            awaiting = option;
        } else if (equals > 0 && option != null) {
            note(option, word.substring(0, equals + 1), word.substring(equals + 1));
        }
    }

    private void note(OptionSpec option, String before, String value) {
        given.put(option.paramLabel(), value);
        given.put(option.longestName(), value);
        values.add(new Value(option, -1, passed, before, value));
    }

    /** Flags may be joined; the first that takes a value takes the rest of the word, or else the next word. */
    private void shortOptions(String word) {
        for (int i = 1; i < word.length(); i++) {
            OptionSpec option = use("-" + word.charAt(i));
            if (takesValue(option)) {
                awaiting = i == word.length() - 1 ? option : null;
                return;
            }
        }
    }

    private @Nullable OptionSpec use(String name) {
        OptionSpec option = spec.findOption(name);
        if (option != null) {
            used.add(option);
        }
        return option;
    }

    public static boolean takesValue(@Nullable OptionSpec option) {
        return option != null && option.arity().min() > 0;
    }

    /** The command they lead to. */
    public CommandSpec spec() {
        return spec;
    }

    /** How many arguments came before. */
    public int arguments() {
        return words.size();
    }

    /** The arguments that came before. */
    List<String> words() {
        return words;
    }

    /** The values that came before, of arguments by their labels, of options also by their long names. */
    Map<String, String> given() {
        return given;
    }

    /** The arguments and the values of options that came before, in their order. */
    public List<Value> values() {
        return values;
    }

    /** Whether the option of this long name came before. */
    public boolean given(String option) {
        return used.stream().anyMatch(each -> each.longestName().equals(option));
    }

    /** Whether no option came before but those that every command has. */
    public boolean onlyInherited() {
        return used.stream().allMatch(each -> each.inherited() || each.command().parent() == null);
    }

    /** Whether {@code --} stood among them, so that what follows are arguments. */
    public boolean optionsEnded() {
        return optionsEnded;
    }

    /** The option whose value stands at the cursor, or {@code null}. */
    public @Nullable OptionSpec awaiting() {
        return awaiting;
    }

    /** Whether an option can still be given: repeatable ones always, others once. */
    boolean open(OptionSpec option) {
        return option.isMultiValue()
                || used.stream().noneMatch(other -> other.longestName().equals(option.longestName()));
    }
}
