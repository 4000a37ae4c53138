package volsh.command;

import static picocli.CommandLine.ScopeType.INHERIT;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.Stack;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.IParameterConsumer;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import volsh.command.console.ColourChoice;
import volsh.command.console.ProgressChoice;
import volsh.command.failure.CommandFailure;
import volsh.command.render.OutputFormat;

/** The options that every command has, before or after its name. */
public final class GlobalOptions {
    /** What a flag that is given means, also if it is given twice: else the second one would take back the first. */
    private static final String TRUE = "true";

    @Option(names = {"-o", "--output"}, paramLabel = "FORMAT", scope = INHERIT,
            completionCandidates = OutputFormat.Names.class,
            description = "Format results as table (default), wide, json, jsonl, csv, tsv, yaml, name or value:FIELD.")
    private OutputFormat output = OutputFormat.TABLE;

    @Option(names = "--columns", paramLabel = "COLUMN", split = ",", scope = INHERIT,
            description = "Show these columns, in this order.")
    private List<String> columns = List.of();

    @Option(names = "--sort", paramLabel = "COLUMN", scope = INHERIT, parameterConsumer = AnyWord.class,
            description = "Sort by a column; -COLUMN sorts descending.")
    private String sort = "";

    @Option(names = "--no-headers", scope = INHERIT, fallbackValue = TRUE,
            description = "Omit headings and keys.")
    private boolean noHeaders;

    @Option(names = {"-n", "--dry-run"}, scope = INHERIT, fallbackValue = TRUE,
            description = "Show what would change without changing anything.")
    private boolean dryRun;

    @Option(names = "--exit-code", scope = INHERIT, fallbackValue = TRUE,
            description = "With --dry-run: exit 20 when changes are pending, else 0.")
    private boolean exitCode;

    @Option(names = {"-y", "--yes"}, scope = INHERIT, fallbackValue = TRUE,
            description = "Answer yes to all questions.")
    private boolean yes;

    @Option(names = "--confirm", paramLabel = "NAME", scope = INHERIT,
            description = "Confirm a destructive action by naming the object it destroys.")
    private String confirm = "";

    @Option(names = "--no-input", scope = INHERIT, fallbackValue = TRUE,
            description = "Never ask; fail instead.")
    private boolean noInput;

    @Option(names = {"-q", "--quiet"}, scope = INHERIT, fallbackValue = TRUE,
            description = "Print only data, warnings and errors.")
    private boolean quiet;

    @Option(names = {"-v", "--verbose"}, scope = INHERIT, description = "Print more detail; -vv prints even more.")
    private boolean[] verbose = {};

    @Option(names = "--debug", scope = INHERIT, fallbackValue = TRUE,
            description = "Show the stack trace of an error.")
    private boolean debug;

    @Option(names = "--color", paramLabel = "WHEN", scope = INHERIT,
            description = "Use colour: auto (default), always or never; honours NO_COLOR and FORCE_COLOR.")
    private ColourChoice color = ColourChoice.AUTO;

    @Option(names = "--progress", paramLabel = "MODE", scope = INHERIT,
            description = "Show progress: auto (default: a live line, or a line every 30 s), none or json.")
    private ProgressChoice progress = ProgressChoice.AUTO;

    @Option(names = {"-h", "--help"}, usageHelp = true, scope = INHERIT, fallbackValue = TRUE,
            description = "Show help for the command.")
    private boolean help;

    @Option(names = {"-V", "--version"}, versionHelp = true, scope = INHERIT, fallbackValue = TRUE,
            description = "Show the version.")
    private boolean version;

    private final RowChoice rows = new RowChoice();

    private boolean ofSession;

    /** The options as they would be read from these words; for tests and scripts. */
    public static GlobalOptions of(String... words) {
        var options = new GlobalOptions();
        if (words.length > 0) {   // saves the prompt the cost of a parser
            Converters.standard().install(new CommandLine(options)).parseArgs(words);
        }
        return options;
    }

    /** Applies these options to this session and all commands called in it; options not named stay as they are. */
    public void become(List<String> words) {
        Converters.standard().install(new CommandLine(this)).parseArgs(words.toArray(String[]::new));
        ofSession = true;
    }

    /** Adds words that stood behind a script to what holds already. @throws CommandFailure USAGE if a value is wrong */
    public void also(List<String> words) {
        try {
            Converters.standard().install(new CommandLine(this)).parseArgs(words.toArray(String[]::new));
        } catch (CommandLine.ParameterException wrong) {
            throw CommandFailure.usage(wrong.getMessage()).hint("volsh run --help");
        }
    }

    /** From now on formats hold for every command that is called, too: each prints its own result. */
    public void formatEveryCommand() {
        ofSession = true;
    }

    /** Reads what it can from an invalid line, so that the error has the requested format. */
    public static GlobalOptions guess(List<String> words) {
        var options = new GlobalOptions();
        try {
            var parser = Converters.standard().install(new CommandLine(options)).setUnmatchedArgumentsAllowed(true);
            parser.parseArgs(words.toArray(String[]::new));
        } catch (CommandLine.ParameterException stillWrong) {
            // the options before the mistake are set
        }
        return options;
    }

    /** The options that commands of a script inherit from its caller; output formats only if set for the session. */
    public List<String> inherited() {
        var words = new ArrayList<String>();
        flag(dryRun, "--dry-run", words);
        flag(yes, "--yes", words);
        flag(!confirm.isEmpty(), "--confirm=" + confirm, words);
        flag(noInput, "--no-input", words);
        flag(quiet, "--quiet", words);
        flag(debug, "--debug", words);
        words.addAll(Collections.nCopies(verbose.length, "--verbose"));
        flag(ofSession && !output.equals(OutputFormat.TABLE), "--output=" + output, words);
        flag(ofSession && !columns.isEmpty(), "--columns=" + String.join(",", columns), words);
        flag(ofSession && !sort.isEmpty(), "--sort=" + sort, words);
        flag(ofSession && noHeaders, "--no-headers", words);
        flag(color != ColourChoice.AUTO, "--color=" + Converters.word(color), words);
        flag(progress != ProgressChoice.AUTO, "--progress=" + Converters.word(progress), words);
        return words;
    }

    private static void flag(boolean set, String word, List<String> words) {
        if (set) {
            words.add(word);
        }
    }

    /** Which rows of a listing are wanted. */
    public RowChoice rows() {
        return rows;
    }

    /** The columns that options name, in lower case: to show, to sort by, to choose rows by. */
    public Set<String> namedColumns() {
        var names = new HashSet<>(columns);
        names.addAll(rows.columns());
        names.add(sort.startsWith("-") ? sort.substring(1) : sort);
        names.add(output.field());
        names.remove("");
        return names.stream().map(name -> name.toLowerCase(Locale.ROOT)).collect(Collectors.toSet());
    }

    public OutputFormat output() {
        return output;
    }

    public List<String> columns() {
        return columns;
    }

    public String sort() {
        return sort;
    }

    public boolean headers() {
        return !noHeaders;
    }

    public boolean dryRun() {
        return dryRun;
    }

    public boolean exitCode() {
        return exitCode;
    }

    public boolean yes() {
        return yes;
    }

    public String confirm() {
        return confirm;
    }

    public boolean noInput() {
        return noInput;
    }

    public boolean quiet() {
        return quiet;
    }

    public int verbosity() {
        return verbose.length;
    }

    public boolean debug() {
        return debug;
    }

    public ColourChoice color() {
        return color;
    }

    public ProgressChoice progress() {
        return progress;
    }

    public boolean help() {
        return help;
    }

    public boolean version() {
        return version;
    }

    /**
     * Takes the next word as the value even if it looks like options: {@code --sort -name} is not {@code -n -a -m -e}.
     */
    private static final class AnyWord implements IParameterConsumer {
        @Override
        public void consumeParameters(Stack<String> words, ArgSpec option, CommandSpec command) {
            if (words.isEmpty()) {
                throw new MissingParameterException(command.commandLine(), option,
                        "Missing required parameter for option '--sort' (COLUMN)");
            }
            option.setValue(words.pop());
        }
    }
}
