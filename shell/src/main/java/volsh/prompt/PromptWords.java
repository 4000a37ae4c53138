package volsh.prompt;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import volsh.catalog.Home;
import volsh.command.Outcome;
import volsh.command.Session;
import volsh.command.complete.Candidate;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.line.Aliases;
import volsh.command.line.Builtin;
import volsh.command.line.Exit;
import volsh.command.line.Language.Source;
import volsh.command.line.LineKind;
import volsh.command.line.LineWords;
import volsh.command.line.Program;
import volsh.command.line.Statement;
import volsh.command.render.Text;
import volsh.fs.ShellWord;

/** The builtins of the prompt: settings, aliases, history and transcript. Their results can be piped. */
final class PromptWords {
    private static final String NAME = "[a-zA-Z_][a-zA-Z0-9_.-]*";
    private static final int USUAL_HISTORY = 50;
    private static final Map<String, String> DESCRIPTIONS = Map.ofEntries(
            Map.entry("quit", "Leave the prompt."), Map.entry("exit", "Leave with an exit code."),
            Map.entry("set", "Show or change settings."), Map.entry("unset", "Reset a setting."), Map.entry("output",
            "Choose the output format."), Map.entry("theme", "Choose the colours of the line."), Map.entry("pager",
            "Choose the pager for tall results."), Map.entry("vars", "Show the variables of the session."),
            Map.entry("alias", "Define a short name for a line."), Map.entry("unalias", "Forget an alias."),
            Map.entry("history", "Show typed lines."), Map.entry("transcript", "Record input and output."),
            Map.entry("source", "Run a file here."), Map.entry("clear", "Clear the screen."),
            Map.entry("time", "Run a line and show how long it took."), Map.entry("watch", "Run a line repeatedly."),
            Map.entry("jobs", "Show background jobs."), Map.entry("fg", "Bring a job to the foreground."),
            Map.entry("use", "Go to a volume."), Map.entry("cd", "Change the working directory."),
            Map.entry("pwd", "Show the working directory."),
            Map.entry("wait", "Wait for jobs."), Map.entry("kill", "Stop jobs."));

    private final Program program;
    private final Settings settings;
    private final PromptEntries entries;
    private final PromptHistory history;
    private final Screen screen;
    private final AliasFile kept;
    /** Aliases are kept for the next prompt when a person types them; those of a file come from there again. */
    private boolean typed;
    private final Set<String> own = new TreeSet<>(PromptEntries.IN_FRONT);

    PromptWords(Program program, Settings settings, PromptEntries entries, PromptHistory history, Screen screen,
            AliasFile kept) {
        this.program = program;
        this.settings = settings;
        this.entries = entries;
        this.history = history;
        this.screen = screen;
        this.kept = kept;
    }

    /** Every builtin and alias with its description. */
    Map<String, String> described() {
        var all = new TreeMap<>(DESCRIPTIONS);
        program.lines().words().aliases().all().forEach((name, line) -> all.put(name, "Alias for: " + line));
        return all;
    }

    /** Candidates after these words; empty if the first is no builtin of the prompt. Runs nothing. */
    Optional<List<Candidate>> completed(List<String> words) {
        int behind = words.size() - 1;
        return switch (words.getFirst()) {
            case "set" -> Optional.of(behind == 0 ? candidates(Settings.meanings()) : behind == 1 ? values(words.get(1))
                    : List.of());
            case "output", "theme", "pager" -> Optional.of(behind == 0 ? values(words.getFirst()) : List.of());
            case "unset" -> Optional.of(candidates(Settings.meanings()));
            case "alias", "unalias" -> Optional.of(candidates(program.lines().words().aliases().all()));
            case "fg", "kill", "wait" -> Optional.of(program.jobs().all().stream()
                    .map(job -> Candidate.name(Integer.toString(job.number()), job.row().state() + "  " + job.line()))
                    .toList());
            case "transcript" -> Optional.of(behind == 0
                    ? candidates(Map.of("on", "Start recording to a file.", "off", "Stop recording.")) : List.of());
            case "history" -> Optional.of(behind == 0 ? candidates(Map.of("-c", "Forget all lines.")) : List.of());
            case "watch" -> Optional.of(candidates(Map.of("2s", "interval, such as 2s", "--until",
                    "stop when this holds, such as 'it.size() > 3'")));
            case "vars", "jobs", "clear", "quit", "exit", "pwd" -> Optional.of(List.of());
            default -> Optional.empty();
        };
    }

    private static List<Candidate> candidates(Map<String, String> words) {
        return words.entrySet().stream().map(word -> Candidate.name(word.getKey(), word.getValue())).toList();
    }

    private static List<Candidate> values(String setting) {
        return Settings.values(setting).stream().map(value -> Candidate.name(value, setting)).toList();
    }

    /** Adds them to the lines of the program. */
    PromptWords install() {
        add("quit", (_, _) -> {
            throw new Exit(0);
        });
        add("set", (words, _) -> set(words));
        add("unset", (names, _) -> unset(names));
        for (String shorthand : List.of("output", "theme", "pager")) {
            add(shorthand, (values, _) -> set(shorthand, values));
        }
        add("vars", (_, _) -> variables());
        add("alias", (words, _) -> alias(words));
        add("unalias", (names, _) -> unalias(names));
        add("history", (words, _) -> history(words));
        add("transcript", this::transcript);
        program.lines().words().with("source", this::source);   // scripts have it too: not of the prompt alone
        add("clear", (_, session) -> {
            session.messages().line("\u001b[H\u001b[2J\u001b[3J");
            return null;
        });
        return this;
    }

    private void add(String name, Builtin builtin) {
        own.add(name);
        program.lines().words().with(name, builtin);
    }

    /** From now on the user types. */
    void typed() {
        typed = true;
    }

    private @Nullable Object set(List<String> words) {
        if (words.isEmpty()) {
            return settings.all();
        }
        String first = words.getFirst();
        if (first.equals("-e") || first.equals("+e")) {
            program.lines().keepGoing(first.equals("+e"));
            return null;
        }
        int sign = first.indexOf('=');
        return sign > 0 && words.size() == 1 ? set(first.substring(0, sign), List.of(first.substring(sign + 1)))
                : set(first, words.subList(1, words.size()));
    }

    private @Nullable Object set(String name, List<String> values) {
        if (values.isEmpty()) {
            String value = settings.value(name);
            if (value == null) {
                settings.unset(name);   // fails with the list of settings
            }
            return new Text(value + "\n");
        }
        settings.set(name, String.join(" ", values));
        return null;
    }

    private @Nullable Object unset(List<String> names) {
        if (names.isEmpty()) {
            throw CommandFailure.usage("unset needs a setting or a variable").hint("set");
        }
        for (String name : names) {
            if (Settings.knows(name) || !program.language().forget(name)) {
                settings.unset(name);
            }
        }
        return null;
    }

    /** A variable of the session. */
    record Variable(String name, String type, String value) {}

    private Object variables() {
        return program.language().variables().entrySet().stream().filter(variable -> !variable.getKey().startsWith("_"))
                .map(variable -> new Variable(variable.getKey(), variable.getValue() == null ? "" : variable.getValue()
                        .getClass().getSimpleName(), String.valueOf(variable.getValue()))).toList();
    }

    /** An alias as the table shows it. */
    record Alias(String name, String line) {}

    private @Nullable Object alias(List<String> words) throws Exception {
        Aliases aliases = program.lines().words().aliases();
        if (words.isEmpty()) {
            return aliases.all().entrySet().stream().map(each -> new Alias(each.getKey(), each.getValue())).toList();
        }
        int first = words.getFirst().indexOf('=');
        if (first > 0 && words.stream().anyMatch(word -> word.indexOf('=') < 0)) {
            throw CommandFailure.usage("an alias of several words needs quotes").hint("alias " + words.getFirst()
                    .substring(0, first + 1) + ShellWord.of(String.join(" ", words).substring(first + 1)));
        }
        for (String word : words) {
            int sign = word.indexOf('=');
            if (sign < 0) {
                return new Alias(word, aliases.text(word).orElseThrow(() -> noAlias(word)));
            }
            alias(aliases, word.substring(0, sign), word.substring(sign + 1));
        }
        return null;
    }

    /** An alias never changes what a command or a name of the language means. */
    private void alias(Aliases aliases, String name, String text) throws Exception {
        if (!name.matches(NAME) || text.isBlank() || text.contains("\n")) {
            throw CommandFailure.usage("alias needs a name and a line, such as: alias ll='ls -l'");
        }
        if (program.lines().words().isReserved(name) || program.names().contains(name)) {
            throw CommandFailure.usage("'" + name + "' is already a command or a name; choose another name");
        }
        aliases.put(name, text);
        if (typed) {
            kept.put(name, text);
        }
    }

    private static CommandFailure noAlias(String name) {
        return CommandFailure.of(ExitCode.NOT_FOUND, "CLI-0032", "no such alias: '" + name + "'").hint("alias");
    }

    private @Nullable Object unalias(List<String> names) throws Exception {
        for (String name : names) {
            if (!program.lines().words().aliases().remove(name)) {
                throw noAlias(name);
            }
            kept.remove(name);
        }
        return null;
    }

    private @Nullable Object history(List<String> words) throws Exception {
        if (words.equals(List.of("-c"))) {
            history.purge();
            return null;
        }
        boolean number = words.size() == 1 && words.getFirst().matches("[0-9]{1,6}");
        if (!words.isEmpty() && !number) {
            throw CommandFailure.usage("history needs a number of lines, or -c to forget them all");
        }
        return history.last(number ? Integer.parseInt(words.getFirst()) : USUAL_HISTORY);
    }

    private @Nullable Object transcript(List<String> words, Session session) throws Exception {
        boolean on = !words.isEmpty() && words.getFirst().equals("on") && words.size() <= 2;
        if (!on && !words.equals(List.of("off"))) {
            throw CommandFailure.usage("transcript needs on FILE, or off");
        }
        Transcript before = screen.transcript();
        if (on) {
            Path file = words.size() > 1 ? Path.of(words.get(1)) : usualTranscript(session);
            screen.transcript(Transcript.to(file, session.clock().instant()));
            session.say("recording a transcript in " + file);
        } else {
            screen.transcript(Transcript.NONE);
        }
        before.close();
        return null;
    }

    private static Path usualTranscript(Session session) throws Exception {
        String time = session.clock().instant().toString().replaceAll("\\..*|Z", "").replace(':', '-');
        Path directory = session.service(Home.class).state().resolve("transcripts");
        return directory.resolve(time + "-" + ProcessHandle.current().pid() + ".transcript");
    }

    private @Nullable Object source(List<String> words, Session session) throws Exception {
        if (words.size() != 1) {
            throw CommandFailure.usage("source needs a file of lines or of code");
        }
        boolean before = typed;
        typed = false;
        try {
            return Outcome.ended(entries.source(Source.read(Path.of(words.getFirst())), session, false));
        } finally {
            typed = before;
        }
    }

    /** Aliases made at earlier prompts. */
    void recall() throws Exception {
        for (Map.Entry<String, String> alias : kept.read().entrySet()) {
            if (!program.lines().words().isReserved(alias.getKey())) {
                program.lines().words().aliases().put(alias.getKey(), alias.getValue());
            }
        }
    }

    /** What to write into a transcript so that a script can do the same: nothing for what only a prompt can do. */
    String again(String text) {
        if (!(program.rule().classify(text) instanceof LineKind.Command)) {
            return text;
        }
        String line = program.lines().words().aliases().expand(text.strip());
        if (line.startsWith("time ")) {
            return again(line.substring("time ".length()));
        }
        boolean takesAll = PromptEntries.IN_FRONT.contains(line.split("[\\s;]", 2)[0]);
        return takesAll || line.contains("\n") ? "" : parts(line);
    }

    /** Those of its statements that a script understands. */
    private String parts(String line) {
        List<Integer> starts = Statement.parse(line).stream()
                .filter(statement -> statement.when() == Statement.When.ALWAYS).map(Statement::start).toList();
        var kept = new StringBuilder();
        for (int i = 0; i < starts.size(); i++) {
            String part = line.substring(starts.get(i), i + 1 < starts.size() ? starts.get(i + 1) : line.length())
                    .strip();
            kept.append(understood(part.endsWith(";") ? part.substring(0, part.length() - 1).strip() : part));
            kept.append(kept.isEmpty() || kept.toString().endsWith("; ") ? "" : kept.toString().endsWith("&") ? " "
                    : "; ");
        }
        return kept.toString().replaceAll("[; ]+$", "");
    }

    private String understood(String part) {
        String[] words = part.split("\\s+", 3);
        boolean setting = words.length == 3 && words[0].equals("set") && LineWords.SETTINGS.contains(words[1]);
        if (setting || part.matches("set [-+]e")) {
            return part;
        }
        if (words.length == 2 && words[0].equals("output")) {
            return "set " + part;
        }
        boolean prompts = Pattern.compile("&&|\\|\\|").splitAsStream(part)
                .anyMatch(each -> own.contains(each.strip().split("[\\s;]", 2)[0]));
        return prompts ? "" : part;
    }
}
