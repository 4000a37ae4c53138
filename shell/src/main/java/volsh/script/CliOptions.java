package volsh.script;

import java.nio.file.Path;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import volsh.command.failure.Similar;
import volsh.command.line.ScriptWords;
import volsh.unit.ByteSize;
import volsh.unit.Percent;
import volsh.unit.Rate;
import volsh.unit.Span;

/** The options of a script, as it declares them in {@code cli { }}: parsed strictly, with a help of their own. */
public final class CliOptions {
    private final Map<String, Declared> declared = new LinkedHashMap<>();
    private String usage = "";
    private String about = "";

    CliOptions() {}

    private record Declared(String name, Class<?> type, @Nullable Object fallback, boolean required, String help) {
        boolean flag() {
            return type == Boolean.class || type == boolean.class;
        }
    }

    /** How the script is called, for its help. */
    public void usage(String text) {
        usage = text;
    }

    /** What the script is for. */
    public void about(String text) {
        about = text;
    }

    /** {@code option 'scratch', type: Size, default: '200GiB', required: false, help: 'what for'}. */
    public void option(Map<String, ?> facts, String name) {
        for (String fact : facts.keySet()) {
            if (!Set.of("type", "default", "required", "help").contains(fact)) {
                throw Arguments.usage("option '%s' has no attribute '%s' (attributes: type, default, required, help)"
                        .formatted(name, fact));
            }
        }
        if (ScriptWords.meansDryRun(name)) {
            throw Arguments.usage("option '%s': -n and --dry-run always mean a dry run; choose another name"
                    .formatted(name));
        }
        Class<?> type = facts.get("type") instanceof Class<?> given ? given : String.class;
        declared.put(name, new Declared(name, type, facts.get("default"), Boolean.TRUE.equals(facts.get("required")),
                facts.get("help") == null ? "" : facts.get("help").toString()));
    }

    public void option(String name) {
        option(Map.of(), name);
    }

    /** An option without a value. */
    public void flag(String name) {
        option(Map.of("type", Boolean.class, "default", false), name);
    }

    boolean declares(String name) {
        return declared.containsKey(name);
    }

    boolean wantsHelp(List<String> words) {
        return words.contains("--help") || words.contains("-h");
    }

    String help(String script) {
        var text = new StringBuilder();
        text.append(about.isEmpty() ? "" : about + "\n\n");
        text.append("Usage: volsh run ").append(script).append(usage.isEmpty() ? " [options]" : " " + usage)
                .append('\n');
        for (Declared option : declared.values()) {
            String value = option.flag() ? "" : " " + option.type().getSimpleName().toUpperCase(java.util.Locale.ROOT);
            String note = option.required() ? "required" : option.fallback() == null ? ""
                    : "default: " + option.fallback();
            text.append("  --%-24s %s%s%n".formatted(option.name() + value, option.help(),
                    note.isEmpty() ? "" : (option.help().isEmpty() ? "" : " ") + "(" + note + ")"));
        }
        text.append("  %-26s %s%n".formatted("-n, --dry-run", "Show what would change without changing anything."));
        return text.toString();
    }

    /** The values, by name; words that belong to no option are {@code args}. */
    Map<String, @Nullable Object> parse(List<String> words) {
        var values = new LinkedHashMap<String, @Nullable Object>();
        var rest = new ArrayList<String>();
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            if (word.equals("--")) {
                rest.addAll(words.subList(i + 1, words.size()));
                break;
            }
            if (!word.startsWith("--")) {
                rest.add(word);
                continue;
            }
            int equals = word.indexOf('=');
            Declared option = find(equals < 0 ? word.substring(2) : word.substring(2, equals));
            if (option.flag()) {
                values.put(option.name(), equals < 0 || Boolean.parseBoolean(word.substring(equals + 1)));
            } else if (equals < 0 && i + 1 == words.size()) {
                throw Arguments.usage("--" + option.name() + " needs a value");
            } else {
                values.put(option.name(), value(option, equals < 0 ? words.get(++i) : word.substring(equals + 1)));
            }
        }
        return complete(values, rest);
    }

    private Map<String, @Nullable Object> complete(Map<String, @Nullable Object> given, List<String> rest) {
        var values = new LinkedHashMap<String, @Nullable Object>();
        for (Declared option : declared.values()) {
            if (option.required() && !given.containsKey(option.name())) {
                throw Arguments.usage("--" + option.name() + " is required");
            }
            values.put(Arguments.camel(option.name()), given.containsKey(option.name()) ? given.get(option.name())
                    : value(option, option.fallback()));
        }
        values.put("args", List.copyOf(rest));
        return new Strict(values);
    }

    private Declared find(String name) {
        Declared option = declared.get(name);
        if (option == null) {
            List<String> similar = Similar.to(name, declared.keySet());
            throw similar.isEmpty() ? Arguments.usage("the script has no option --" + name)
                    : Arguments.usage("the script has no option --" + name, "did you mean: --" + similar.getFirst());
        }
        return option;
    }

    private static @Nullable Object value(Declared option, @Nullable Object given) {
        if (given == null || option.type().isInstance(given)) {
            return given;
        }
        if (given instanceof Number number && Set.of(ByteSize.class, Span.class, Rate.class).contains(option.type())) {
            throw Arguments.bare(option.name(), number, option.type());
        }
        try {
            return read(option.type(), given.toString());
        } catch (IllegalArgumentException wrong) {
            String message = wrong instanceof NumberFormatException ? "'" + given + "' is not a number"
                    : wrong.getMessage();
            throw Arguments.usage("--" + option.name() + ": " + message);
        }
    }

    private static Object read(Class<?> type, String text) {
        return switch (type.getSimpleName()) {
            case "Integer", "int" -> Integer.valueOf(text);
            case "Long", "long" -> Long.valueOf(text);
            case "Double", "double" -> Double.valueOf(text);
            case "Boolean", "boolean" -> Boolean.valueOf(text);
            case "ByteSize" -> ByteSize.of(text);
            case "Span" -> Span.of(text);
            case "Rate" -> Rate.of(text);
            case "Percent" -> Percent.of(text);
            case "Path" -> Path.of(text);
            case "List" -> List.of(text.split(","));
            case "String" -> text;
            default -> throw new IllegalArgumentException("an option cannot have the type " + type.getSimpleName());
        };
    }

    /** Refuses names that were not declared. */
    private static final class Strict extends AbstractMap<String, @Nullable Object> {
        private final Map<String, @Nullable Object> values;

        Strict(Map<String, @Nullable Object> values) {
            this.values = values;
        }

        @Override
        public @Nullable Object get(Object name) {
            if (!values.containsKey(name)) {
                throw Arguments.usage("cli { } declares no option '" + name + "'");
            }
            return values.get(name);
        }

        @Override
        public Set<Entry<String, @Nullable Object>> entrySet() {
            return java.util.Collections.<String, @Nullable Object>unmodifiableMap(values).entrySet();
        }
    }
}
