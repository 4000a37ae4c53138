package volsh.script;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import volsh.cache.disk.Quota;
import volsh.catalog.HistorySpan;
import volsh.command.OptionNames;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.Similar;
import volsh.command.line.Literal;
import volsh.command.render.Row;
import volsh.unit.ByteSize;
import volsh.unit.Rate;
import volsh.unit.Span;

/**
 * The arguments of a method call as the words of a command: {@code blockSize: 4.MiB} is {@code --block-size=4MiB}. A
 * value becomes a word that is read back as exactly this value, so there is one parser and one place that checks. Where
 * a size, time or rate is wanted a bare number is refused: Groovy reads {@code 30d} as 30.0 of nothing.
 */
final class Arguments {
    private static final Set<Class<?>> QUANTITIES = Set.of(ByteSize.class, Span.class, Rate.class, Quota.class);

    private final CommandSpec command;
    private final List<String> options = new ArrayList<>();
    private final List<String> operands = new ArrayList<>();
    private final List<String> settings = new ArrayList<>();

    private Arguments(CommandSpec command) {
        this.command = command;
    }

    static List<String> words(CommandSpec command, List<String> path, Object... values) {
        var arguments = new Arguments(command);
        for (Object value : values) {
            if (value instanceof Map<?, ?> named && !(value instanceof Row)) {
                named.forEach((name, option) -> arguments.option(name.toString(), option));
            } else {
                arguments.operand(value);
            }
        }
        arguments.operands.addAll(arguments.settings);   // named arguments come first in Groovy, settings last
        var words = new ArrayList<>(path);
        words.addAll(arguments.options);
        if (!arguments.operands.isEmpty()) {
            words.add("--");
            words.addAll(arguments.operands);
        }
        return words;
    }

    /** @throws VolshException if no option of the command begins like this */
    static void require(CommandSpec command, String name) {
        var arguments = new Arguments(command);
        boolean group = command.options().stream()
                .anyMatch(option -> option.longestName().startsWith("--" + kebab(name) + "-"));
        if (arguments.find(name) == null && !group && !arguments.takesSettings()) {
            throw arguments.unknown(name);
        }
    }

    private void operand(Object value) {
        if (value instanceof Collection<?> many) {
            many.forEach(this::operand);
            return;
        }
        for (PositionalParamSpec parameter : command.positionalParameters()) {
            if (parameter.index().contains(operands.size())) {
                refuseBare(parameter, parameter.paramLabel(), value);
            }
        }
        operands.add(Literal.word(value));
    }

    private void option(String name, Object value) {
        OptionSpec option = find(name);
        if (option == null && takesSettings() && value instanceof Map<?, ?> parts && !(value instanceof Row)) {
            parts.forEach((part, inner) -> setting(name + "." + part, inner));   // label: [a: 'b'] is label.a=b
        } else if (option == null && value instanceof Map<?, ?> parts && !(value instanceof Row)) {
            parts.forEach((part, inner) -> option(name + "-" + part, inner));   // cache: [dir: d] is --cache-dir d
        } else if (option == null && takesSettings()) {
            setting(kebab(name), value);
        } else if (option == null) {
            throw unknown(name);
        } else if (value != null) {
            given(option, name, value);
        }
    }

    /**
     * Whether its arguments are settings: {@code volume.set 'x', retention: 30.d} is {@code volume set x
     * retention=30d}.
     */
    private boolean takesSettings() {
        return command.positionalParameters().stream()
                .anyMatch(parameter -> parameter.paramLabel().equals("SETTING=VALUE"));
    }

    private void setting(String key, Object value) {
        if (value instanceof Double || value instanceof Float) {   // 30d and 30f are numbers in Groovy
            throw bare(key, (Number) value, Span.class);
        }
        settings.add(key + "=" + (value instanceof Boolean on ? on ? "on" : "off" : Literal.word(value)));
    }

    private void given(OptionSpec option, String name, Object value) {
        String word = OptionNames.main(option);
        if (value instanceof Boolean flag && option.arity().max() == 0) {
            if (flag || option.negatable()) {
                options.add(flag ? word : "--no-" + word.substring(2));
            }
        } else if (option.arity().max() == 0) {
            throw usage("%s is a switch: write %s: true, not '%s'".formatted(word, name, value));
        } else if (option.isMultiValue() && value instanceof Map<?, ?> map) {
            map.forEach((key, item) -> options.add(word + "=" + key + "=" + Literal.word(item)));
        } else if (option.isMultiValue() && value instanceof Collection<?> many) {
            many.forEach(item -> one(option, name, word, item));
        } else {
            one(option, name, word, value);
        }
    }

    private void one(OptionSpec option, String name, String word, Object value) {
        refuseBare(option, name, value);
        options.add(word + "=" + Literal.word(value));
    }

    private OptionSpec find(String name) {
        if (name.length() == 1) {
            return command.findOption("-" + name);
        }
        OptionSpec kebab = command.findOption("--" + kebab(name));
        return kebab != null ? kebab : command.findOption("--" + name);
    }

    /** {@code blockSize} as an option is written: {@code block-size}. */
    static String kebab(String name) {
        return name.replaceAll("([a-z0-9])([A-Z])", "$1-$2").toLowerCase(Locale.ROOT);
    }

    /** {@code block-size} as a name in code is written: {@code blockSize}. */
    static String camel(String name) {
        var camel = new StringBuilder();
        for (int i = 0; i < name.length(); i++) {
            boolean dash = name.charAt(i) == '-' && i + 1 < name.length();
            camel.append(dash ? Character.toUpperCase(name.charAt(++i)) : name.charAt(i));
        }
        return camel.toString();
    }

    private static void refuseBare(ArgSpec argument, String name, Object value) {
        Class<?> type = argument.auxiliaryTypes()[0];
        if (value instanceof Number number && QUANTITIES.contains(type)) {
            throw bare(name, number, type);
        }
        // 0 is none, -1 for ever
        if (value instanceof Number number && type == HistorySpan.class && number.doubleValue() > 0) {
            throw bare(name, number, Span.class);
        }
    }

    static VolshException bare(String name, Number number, Class<?> type) {
        String count = new BigDecimal(number.toString()).stripTrailingZeros().toPlainString();
        String hint = type == Span.class ? "write %1$s.s, %1$s.d or '%1$sd'"
                : type == Rate.class ? "write %1$s.MiB / 1.s or '%1$sMiB/s'" : "write %1$s.MiB or '%1$sMiB'";
        return usage("%s: %s needs a unit".formatted(name, count), hint.formatted(count));
    }

    private VolshException unknown(String name) {
        var names = new ArrayList<String>();
        for (OptionSpec option : command.options()) {
            names.add(camel(OptionNames.main(option).substring(2)));
        }
        String noun = command.qualifiedName(" ").replaceFirst("^volsh ", "");
        List<String> similar = Similar.to(name, names);
        return usage("%s has no option '%s'".formatted(noun, name),
                similar.isEmpty() ? "volsh help " + noun : "did you mean: " + similar.getFirst());
    }

    static VolshException usage(String message, String... hints) {
        CommandFailure failure = CommandFailure.usage(message);
        for (String hint : hints) {
            failure = failure.hint(hint);
        }
        return VolshException.of(failure.problem(), null);
    }
}
