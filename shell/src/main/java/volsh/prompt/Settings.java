package volsh.prompt;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import volsh.command.GlobalOptions;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.Similar;
import volsh.command.render.OutputFormat;

/** The settings of a session: {@code set output json}. A change applies from the next line on. */
final class Settings {
    /** A setting: its default, its meaning and its parser. */
    private record Kind(String usual, String meaning, UnaryOperator<String> check) {}

    /** A line of the table of settings. */
    record Setting(String name, String value, String usual, String meaning) {}

    private static final Map<String, Kind> KINDS = new LinkedHashMap<>();

    static {
        KINDS.put("output", new Kind("table", "format of results: table, wide, json, jsonl, csv, tsv, yaml, name",
                word -> OutputFormat.of(word).toString()));
        KINDS.put("color", new Kind("auto", "auto, always or never", word -> among(word, "auto", "always", "never")));
        KINDS.put("theme", new Kind("auto", "colours of the line: auto, dark, light or none",
                word -> Theme.of(word).toString()));
        KINDS.put("pager", new Kind("auto",
                "for results taller than the screen: auto ($PAGER or less), off, or a command", word -> word));
        KINDS.put("suggestions", new Kind("on", "grey text from the history: on or off",
                word -> among(word, "on", "off")));
    }

    private final GlobalOptions options;
    private final Map<String, String> values = new LinkedHashMap<>();
    private Runnable changed = () -> { };

    Settings(GlobalOptions options) {
        this.options = options;
        KINDS.forEach((name, kind) -> values.put(name, kind.usual()));
        values.put("output", options.output().toString());
        values.put("color", volsh.command.Converters.word(options.color()));
    }

    /** Calls {@code listener} for each change. */
    void onChange(Runnable listener) {
        changed = listener;
    }

    private static String among(String word, String... good) {
        if (!List.of(good).contains(word)) {
            throw new IllegalArgumentException("'" + word + "' is not one of " + String.join(", ", good));
        }
        return word;
    }

    /** The settings with their meanings. */
    static Map<String, String> meanings() {
        var meanings = new LinkedHashMap<String, String>();
        KINDS.forEach((name, kind) -> meanings.put(name, kind.meaning()));
        return meanings;
    }

    /** Valid values of a setting; none for an unknown setting. */
    static List<String> values(String name) {
        return switch (name) {
            case "output" -> List.of("table", "wide", "json", "jsonl", "csv", "tsv", "yaml", "name");
            case "color" -> List.of("auto", "always", "never");
            case "theme" -> List.of("auto", "dark", "light", "none");
            case "pager" -> List.of("auto", "off", "less", "cat");
            case "suggestions" -> List.of("on", "off");
            default -> List.of();
        };
    }

    static boolean knows(String name) {
        return KINDS.containsKey(name);
    }

    synchronized String value(String name) {
        return Objects.requireNonNull(values.get(name), name);
    }

    boolean on(String name) {
        return !value(name).equals("off");
    }

    Theme theme() {
        return Theme.of(value("theme"));
    }

    void set(String name, String value) {
        Kind kind = kind(name);
        try {
            put(name, kind.check().apply(value));
        } catch (IllegalArgumentException wrong) {
            throw CommandFailure.usage(wrong.getMessage()).hint("set");
        }
    }

    void unset(String name) {
        put(name, kind(name).usual());
    }

    private synchronized void put(String name, String value) {
        values.put(name, value);
        boolean plain = theme() == Theme.NONE;
        options.become(List.of("--output=" + values.get("output"),
                "--color=" + (plain ? "never" : values.get("color"))));
        changed.run();
    }

    private static Kind kind(String name) {
        if (!KINDS.containsKey(name)) {
            var failure = CommandFailure.usage("unknown setting '" + name + "'")
                    .detail("settings: " + String.join(", ", KINDS.keySet()));
            throw Similar.to(name, KINDS.keySet()).stream().findFirst()
                    .map(similar -> failure.hint("did you mean: set " + similar)).orElse(failure);
        }
        return KINDS.get(name);
    }

    synchronized List<Setting> all() {
        return KINDS.entrySet().stream().map(kind -> new Setting(kind.getKey(), value(kind.getKey()),
                kind.getValue().usual(), kind.getValue().meaning())).toList();
    }
}
