package volsh.command.man;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.StringJoiner;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import volsh.command.Action;

/**
 * Every command as a declared method, in a Groovy file that development environments read to complete scripts and to
 * show their arguments. Nothing of it is ever run: scripts find commands by name.
 */
public final class ScriptStubs {
    /** For IntelliJ: in scripts, the names of the stubs are known. */
    public static final String GDSL = """
            // Completion for scripts of volsh in IntelliJ: put this file and VolshDsl.groovy below a source folder.
            contributor(context(scope: scriptScope())) {
                delegatesTo(findClass('VolshDsl'))
            }
            """;
    private static final Set<String> KEYWORDS = Set.of("abstract", "as", "assert", "break", "case", "catch", "class",
            "const", "continue", "def", "default", "do", "else", "enum", "extends", "final", "finally", "for", "goto",
            "if", "implements", "import", "in", "instanceof", "interface", "native", "new", "package", "return", "super",
            "switch", "this", "throw", "throws", "try", "var", "void", "while", "volatile", "static");

    private final StringBuilder text = new StringBuilder();

    private ScriptStubs() {}

    /** The file {@code VolshDsl.groovy}. */
    public static String of(CommandSpec root) throws IOException {
        var stubs = new ScriptStubs();
        stubs.text.append("""
                // Completion for scripts of volsh, made by: volsh completion groovy. Only development environments read it.
                // A script that begins with @groovy.transform.BaseScript VolshDsl dsl needs no more than this file there;
                // for IntelliJ there is also: volsh completion gdsl. Remove that line before volsh runs the script.
                import groovy.transform.NamedParam
                import groovy.transform.NamedParams

                abstract class VolshDsl extends Script {
                """);
        stubs.text.append(words()).append('\n');
        stubs.level(root, "    ");
        stubs.text.append("}\n");
        return stubs.text.toString();
    }

    private static String words() throws IOException {
        try (InputStream words = ScriptStubs.class.getResourceAsStream("dsl-words.txt")) {
            return new String(words.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private void level(CommandSpec parent, String indent) {
        for (CommandSpec command : Manual.visible(parent)) {
            if (command.userObject() instanceof Action<?>) {
                method(command, indent);
            }
            if (!command.subcommands().isEmpty()) {
                noun(command, indent);
            }
        }
    }

    private void noun(CommandSpec command, String indent) {
        String type = type(command);
        text.append("%s/** %s */%n%1$s%s %s%n".formatted(indent, comment(Manual.summary(command)), type,
                command.name()));
        text.append("%sstatic class %s {%n".formatted(indent, type));
        if (command.findOption("--ensure") != null) {
            text.append("%s    Object ensure(Map<String, Object> options = [:], Object... arguments) { null }%n"
                    .formatted(indent));
        }
        if (command.subcommands().containsKey("show") && !command.subcommands().containsKey("get")) {
            text.append("%s    Map<String, Object> get(Object which) { null }%n".formatted(indent));
        }
        level(command, indent + "    ");
        text.append(indent).append("}\n");
    }

    private static String type(CommandSpec command) {
        var type = new StringBuilder();
        for (String part : command.qualifiedName(" ").split("[ -]")) {
            type.append(part.substring(0, 1).toUpperCase(Locale.ROOT)).append(part.substring(1));
        }
        return type.toString();
    }

    private void method(CommandSpec command, String indent) {
        ScriptMethod method = ScriptMethod.of(command);
        text.append(indent).append("/**\n").append(indent).append(" * ").append(comment(method.summary())).append('\n');
        method.examples().forEach(example -> text.append(indent).append(" * <br>{@code ").append(comment(example))
                .append("}\n"));
        method.parameters().forEach(entry -> doc(indent, entry));
        method.options().forEach(entry -> doc(indent, entry));
        text.append(indent).append(" */\n");
        String name = name(command.name());
        String operands = operands(command);
        String options = options(command);
        if (!options.isEmpty()) {
            text.append("%sObject %s(@NamedParams([%n%s%n%1$s]) Map<String, Object> options%s) { null }%n"
                    .formatted(indent, name, options.indent(indent.length() + 4).stripTrailing(),
                            operands.isEmpty() ? "" : ", " + operands));
        }
        if (!name.equals("wait") || !operands.isEmpty()) {   // every object has a wait() of its own
            text.append("%sObject %s(%s) { null }%n".formatted(indent, name, operands));
        }
    }

    private void doc(String indent, Manual.Entry entry) {
        text.append(indent).append(" * <br>").append(comment(entry.term() + " " + entry.meaning())).append('\n');
    }

    /** Names of methods may be any text in quotes. */
    private static String name(String name) {
        return name.matches("[a-zA-Z_]\\w*") && !KEYWORDS.contains(name) ? name : "'" + name + "'";
    }

    private static String comment(String line) {
        return line.replace("*/", "*&#47;").replace('\n', ' ');
    }

    private static String operands(CommandSpec command) {
        var operands = new StringJoiner(", ");
        var taken = new HashSet<>(Set.of("options"));
        List<PositionalParamSpec> all = command.positionalParameters().stream().filter(one -> !one.hidden()).toList();
        for (PositionalParamSpec parameter : all) {
            String name = camel(parameter.paramLabel());
            while (!taken.add(name) || KEYWORDS.contains(name)) {
                name += "2";
            }
            boolean rest = parameter.isMultiValue() && parameter.equals(all.getLast());
            boolean optional = !parameter.required() && parameter.arity().min() == 0 && !command.name().equals("wait");
            operands.add(rest ? "Object... " + name : "Object " + name + (optional && !all.getLast().isMultiValue()
                    ? " = null" : ""));
        }
        return operands.toString();
    }

    /** {@code volPath} of {@code VOL:/PATH}. */
    private static String camel(String label) {
        var camel = new StringBuilder();
        for (String part : label.replaceAll("[^A-Za-z0-9]+", " ").strip().split(" ")) {
            String lower = part.toLowerCase(Locale.ROOT);
            camel.append(camel.isEmpty() || lower.isEmpty() ? lower
                    : lower.substring(0, 1).toUpperCase(Locale.ROOT) + lower.substring(1));
        }
        String name = camel.toString();
        return name.matches("[a-z]\\w*") ? name : "argument" + name;
    }

    private static String options(CommandSpec command) {
        var options = new ArrayList<String>();
        for (OptionSpec option : command.options()) {
            if (!option.hidden()) {
                boolean flag = option.arity().max() == 0;
                options.add("@NamedParam(value = '%s', type = %s%s)".formatted(ScriptMethod.name(option),
                        flag ? "Boolean" : "Object", option.required() ? ", required = true" : ""));
            }
        }
        return String.join(",\n", options);
    }
}
