package volsh.command.man;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import volsh.command.Action;
import volsh.command.Converters;
import volsh.command.OptionNames;
import volsh.command.man.Manual.Entry;
import volsh.unit.ByteSize;
import volsh.unit.Span;

/**
 * A command as a method of scripts.
 *
 * @param signature how it is called; empty for a noun that is no method by itself
 * @param methods   those below it
 */
public record ScriptMethod(String signature, String summary, List<String> examples, List<Entry> parameters,
        List<Entry> options, List<Entry> methods) {
    /** A command whose name begins another statement in Groovy. */
    private static final String KEYWORD = "import";

    public static ScriptMethod of(CommandSpec spec) {
        boolean method = spec.userObject() instanceof Action<?>;
        var below = Manual.visible(spec).stream().map(sub -> new Entry(path(sub), Manual.summary(sub))).toList();
        return new ScriptMethod(method ? signature(spec) : "", Manual.summary(spec),
                method ? examples(spec) : List.of(),
                method ? parameters(spec) : List.of(), method ? options(spec) : List.of(), below);
    }

    private static List<String> examples(CommandSpec spec) {
        return Manual.of(spec).examples().stream().flatMap(line -> example(spec, line).stream()).toList();
    }

    /** {@code volume.create} of {@code volsh volume create}. */
    private static String path(CommandSpec spec) {
        String path = spec.qualifiedName(".").replaceFirst("^volsh\\.", "");
        return path.equals(KEYWORD) ? "this." + path : path;
    }

    private static String signature(CommandSpec spec) {
        var arguments = new StringJoiner(", ", path(spec) + "(", ")");
        for (PositionalParamSpec parameter : shown(spec)) {
            String label = parameter.paramLabel() + (parameter.isMultiValue() ? "..." : "");
            arguments.add(parameter.required() || parameter.arity().min() > 0 ? label : "[" + label + "]");
        }
        for (OptionSpec option : own(spec)) {
            if (option.required()) {
                arguments.add(name(option) + ": " + type(option));
            }
        }
        if (own(spec).stream().anyMatch(option -> !option.required())) {
            arguments.add("option: value...");
        }
        return arguments.toString();
    }

    private static List<PositionalParamSpec> shown(CommandSpec spec) {
        return spec.positionalParameters().stream().filter(parameter -> !parameter.hidden()).toList();
    }

    /** Its own options; those every command has are the program's. */
    private static List<OptionSpec> own(CommandSpec spec) {
        return spec.options().stream().filter(option -> !option.hidden() && !option.inherited()).toList();
    }

    private static List<Entry> parameters(CommandSpec spec) {
        return shown(spec).stream()
                .map(parameter -> new Entry(parameter.paramLabel(), type(parameter) + ". " + meaning(parameter)))
                .toList();
    }

    private static List<Entry> options(CommandSpec spec) {
        return own(spec).stream().map(option -> new Entry(name(option) + ": " + type(option),
                (option.required() ? "Required. " : "") + meaning(option))).toList();
    }

    private static String meaning(ArgSpec argument) {
        return String.join(" ", argument.description());
    }

    /** {@code blockSize} of {@code --block-size}. */
    static String name(OptionSpec option) {
        String name = OptionNames.main(option).replaceFirst("^--?", "");
        var camel = new StringBuilder();
        for (int i = 0; i < name.length(); i++) {
            boolean dash = name.charAt(i) == '-' && i + 1 < name.length();
            camel.append(dash ? Character.toUpperCase(name.charAt(++i)) : name.charAt(i));
        }
        return camel.toString();
    }

    /** What is written in a script. */
    private static String type(ArgSpec argument) {
        if (argument.isOption() && argument.arity().max() == 0) {
            return "true";
        }
        if (Map.class.isAssignableFrom(argument.type())) {
            return "[key: value]";
        }
        Class<?> type = argument.auxiliaryTypes()[0];
        String one = type == ByteSize.class ? "Size" : type == Span.class ? "Duration" : type.isEnum() ? words(type)
                : type == Path.class || type.getName().startsWith("volsh.unit.") ? type.getSimpleName()
                : type.isPrimitive() || Number.class.isAssignableFrom(type) ? "number" : "String";
        return argument.isMultiValue() ? "list of " + one : one;
    }

    private static String words(Class<?> constants) {
        var words = new StringJoiner("|");
        for (Object constant : constants.getEnumConstants()) {
            words.add("'" + Converters.word((Enum<?>) constant) + "'");
        }
        return words.toString();
    }

    /** An example of the command line as a call; empty if it is more than one plain command. */
    private static Optional<String> example(CommandSpec spec, String line) {
        String start = spec.qualifiedName(" ") + " ";
        boolean plain = (line + " ").startsWith(start) && !line.matches(".*[|;&<>$`\\\\].*");
        if (!plain) {
            return Optional.empty();
        }
        var operands = new ArrayList<String>();
        var named = new LinkedHashMap<String, List<String>>();
        List<String> words = words((line + " ").substring(start.length()));
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            if (!word.startsWith("-") || word.length() < 2) {
                operands.add(quoted(word));
                continue;
            }
            int equals = word.startsWith("--") ? word.indexOf('=') : -1;
            OptionSpec option = spec.findOption(equals < 0 ? word : word.substring(0, equals));
            if (option == null || option.inherited() || option.negatable()) {
                return Optional.empty();
            }
            boolean flag = option.arity().max() == 0;
            if (!flag && equals < 0 && i + 1 == words.size()) {
                return Optional.empty();
            }
            named.computeIfAbsent(name(option), _ -> new ArrayList<>())
                    .add(flag ? "true" : quoted(equals < 0 ? words.get(++i) : word.substring(equals + 1)));
        }
        var arguments = new ArrayList<>(operands);
        named.forEach((name, values) -> arguments.add(name + ": " + (values.size() == 1 ? values.getFirst() : values)));
        return Optional.of(path(spec) + (arguments.isEmpty() ? "()" : " " + String.join(", ", arguments)));
    }

    private static List<String> words(String text) {
        var words = new ArrayList<String>();
        var matcher = java.util.regex.Pattern.compile("(?:[^\\s'\"]|'[^']*'|\"[^\"]*\")+").matcher(text);
        while (matcher.find()) {
            words.add(matcher.group().replaceAll("['\"]", ""));
        }
        return words;
    }

    private static String quoted(String word) {
        return "'" + word + "'";
    }
}
