package volsh.command.man;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import volsh.command.Examples;
import volsh.command.OptionNames;

/**
 * The description of one command, for help and manual pages.
 *
 * @param command     its full name, {@code volsh volume create}
 * @param description the summary first, then further paragraphs
 * @param examples    lines to paste; of a group, the first example of each command in it; of the whole program, a
 *                    handful to begin with
 * @param options     its own, required ones first; {@code globals} are those every command has
 */
public record Manual(String command, List<String> aliases, List<String> description, List<String> examples,
                     String synopsis, List<Entry> parameters, List<Entry> options, List<Entry> globals,
                     List<Entry> commands) {
    /** Commands whose first example is on the top page. */
    private static final Set<String> BEGINNINGS = Set.of("volume", "put", "ls", "mount", "checkpoint", "job", "run",
            "demo");

    /** A term and what it means. */
    public record Entry(String term, String meaning) {}

    public static Manual of(CommandSpec spec) {
        return new Manual(spec.qualifiedName(), List.of(spec.aliases()), List.of(spec.usageMessage().description()),
                examples(spec), synopsis(spec), parameters(spec), options(spec, false), options(spec, true),
                commands(spec));
    }

    /** One sentence about a command. */
    public static String summary(CommandSpec spec) {
        String[] description = spec.usageMessage().description();
        return description.length == 0 ? "" : description[0];
    }

    /** One sentence. */
    public String summary() {
        return description.isEmpty() ? "" : description.getFirst();
    }

    private static List<String> examples(CommandSpec spec) {
        Object action = spec.userObject();
        var declared = action == null ? null : action.getClass().getAnnotation(Examples.class);
        if (declared != null) {
            return List.of(declared.value());
        }
        var examples = new ArrayList<String>();
        for (CommandSpec sub : visible(spec)) {
            if (spec.parent() != null || BEGINNINGS.contains(sub.name())) {
                examples(sub).stream().findFirst().ifPresent(examples::add);
            }
        }
        return examples;
    }

    private static String synopsis(CommandSpec spec) {
        var synopsis = new StringBuilder(spec.qualifiedName());
        if (!spec.subcommands().isEmpty() && spec.positionalParameters().isEmpty()) {
            return synopsis.append(" COMMAND [OPTION...]").toString();
        }
        for (OptionSpec option : spec.options()) {
            if (option.required() && !option.inherited()) {
                synopsis.append(' ').append(term(option, OptionNames.main(option)));
            }
        }
        boolean optional = spec.options().stream().anyMatch(option -> !option.required() && !option.hidden());
        synopsis.append(optional ? " [OPTION...]" : "");
        for (PositionalParamSpec parameter : spec.positionalParameters()) {
            synopsis.append(parameter.hidden() ? "" : " " + shape(parameter));
        }
        return synopsis.toString();
    }

    private static String shape(PositionalParamSpec parameter) {
        String label = parameter.paramLabel() + (parameter.isMultiValue() ? "..." : "");
        return parameter.arity().min() == 0 && !parameter.required() ? "[" + label + "]" : label;
    }

    private static List<Entry> parameters(CommandSpec spec) {
        var entries = new ArrayList<Entry>();
        for (PositionalParamSpec parameter : spec.positionalParameters()) {
            if (!parameter.hidden()) {
                entries.add(new Entry(parameter.paramLabel(), meaning(parameter)));
            }
        }
        return entries;
    }

    private static List<Entry> options(CommandSpec spec, boolean inherited) {
        var required = new ArrayList<Entry>();
        var optional = new ArrayList<Entry>();
        for (OptionSpec option : spec.options()) {
            if (!option.hidden() && (option.inherited() || spec.parent() == null) == inherited) {
                (option.required() ? required : optional).add(new Entry(term(option, names(option)), meaning(option)));
            }
        }
        required.addAll(optional);
        return required;
    }

    private static String names(OptionSpec option) {
        return String.join(", ", OptionNames.shown(option));
    }

    private static String term(OptionSpec option, String names) {
        boolean value = option.arity().max() > 0;
        return value ? names + " " + option.paramLabel() : names;
    }

    private static String meaning(ArgSpec argument) {
        return String.join(" ", argument.description());
    }

    private static List<Entry> commands(CommandSpec spec) {
        var entries = new ArrayList<Entry>();
        for (CommandSpec sub : visible(spec)) {
            String aliases = sub.aliases().length == 0 ? "" : " (" + String.join(", ", sub.aliases()) + ")";
            entries.add(new Entry(sub.name() + aliases, summary(sub)));
        }
        return entries;
    }

    /** The commands below that are not hidden, each once, in the order of declaration. */
    public static List<CommandSpec> visible(CommandSpec spec) {
        var visible = new LinkedHashSet<CommandSpec>();
        for (CommandLine sub : spec.subcommands().values()) {
            if (!sub.getCommandSpec().usageMessage().hidden()) {
                visible.add(sub.getCommandSpec());
            }
        }
        return List.copyOf(visible);
    }
}
