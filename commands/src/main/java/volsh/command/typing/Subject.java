package volsh.command.typing;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import volsh.command.OptionNames;
import volsh.command.complete.LineWalk;
import volsh.command.man.HelpPage;
import volsh.command.man.Manual;
import volsh.command.man.Topic;

/** Finds the help page for the word under the cursor. */
public final class Subject {
    private static final Pattern NOUN = Pattern.compile("(?<noun>[a-z]\\w*)(?:\\.(?<verb>[a-zA-Z]\\w*))?");

    private static final Pattern COLOUR = Pattern.compile("\u001b\\[[0-9;]*m");

    private final Lexicon lexicon;

    public Subject(Lexicon lexicon) {
        this.lexicon = lexicon;
    }

    /**
     * A page of help.
     *
     * @param line the first line that is about the word at the cursor; 0 if that is the whole page
     */
    public record Page(String text, int line) {}

    /**
     * The page about the word at the cursor: of its command, at the option if it is one; of pipes, of scripts; of the
     * prompt where nothing is typed.
     */
    public Page page(String line, int cursor, int width, boolean colour) {
        if (line.isBlank()) {
            return topic("prompt", width, colour);
        }
        int end = endOfWord(line, cursor);
        return switch (Place.of(line, end, lexicon.rule())) {
            case Place.InCommand(List<String> words, Place.Typed typed) -> command(words, typed.text())
                    .map(spec -> at(option(words, typed.text()), HelpPage.of(Manual.of(spec), width, colour)))
                    .orElseGet(() -> topic(isAboutDirectories(words, typed) ? "paths" : "prompt", width, colour));
            case Place.InPipe _ -> topic("pipes", width, colour);
            case Place.InCode(String text, int _, List<List<String>> _) -> inCode(text)
                    .map(spec -> new Page(HelpPage.of(Manual.of(spec), width, colour), 0))
                    .orElseGet(() -> topic("scripts", width, colour));
            case Place.InFile _, Place.Nowhere _ -> topic("prompt", width, colour);
        };
    }

    private static boolean isAboutDirectories(List<String> words, Place.Typed typed) {
        return List.of("use", "cd", "pwd").contains(words.isEmpty() ? typed.text() : words.getFirst());
    }

    /** The option that is typed, or whose value is. */
    private Optional<OptionSpec> option(List<String> words, String typed) {
        LineWalk walk = LineWalk.along(lexicon.tree().get(), Prefixed.inner(words));
        boolean named = walk.awaiting() == null && !walk.optionsEnded() && typed.startsWith("-");
        return Optional.ofNullable(named ? walk.spec().findOption(typed.split("=", 2)[0]) : walk.awaiting());
    }

    private static Page at(Optional<OptionSpec> option, String page) {
        var term = Pattern.compile("(-\\S, )*" + option.map(OptionNames::main).map(Pattern::quote).orElse("$.")
                + "(\\W.*)?");
        List<String> lines = page.lines().map(line -> COLOUR.matcher(line).replaceAll("").strip()).toList();
        int first = 0;
        while (first < lines.size() && !term.matcher(lines.get(first)).matches()) {
            first++;
        }
        return new Page(page, first < lines.size() ? first : 0);
    }

    private static int endOfWord(String line, int cursor) {
        int end = cursor;
        while (end < line.length() && (Character.isLetterOrDigit(line.charAt(end)) || line.charAt(end) == '-')) {
            end++;
        }
        return end;
    }

    private static Page topic(String name, int width, boolean colour) {
        return new Page(HelpPage.of(Topic.named(name).orElseThrow(), width, colour), 0);
    }

    private Optional<CommandSpec> command(List<String> words, String typed) {
        CommandSpec spec = LineWalk.along(lexicon.tree().get(), Prefixed.inner(words)).spec();
        CommandLine exact = spec.subcommands().get(typed);
        spec = exact == null ? spec : exact.getCommandSpec();
        return spec.parent() == null ? Optional.empty() : Optional.of(spec);
    }

    private Optional<CommandSpec> inCode(String text) {
        Matcher nouns = NOUN.matcher(text);
        Optional<CommandSpec> last = Optional.empty();
        while (nouns.find()) {
            CommandLine noun = lexicon.tree().get().subcommands().get(nouns.group("noun"));
            if (noun != null) {
                CommandLine verb = nouns.group("verb") == null ? null : noun.getSubcommands().get(nouns.group("verb"));
                last = Optional.of((verb == null ? noun : verb).getCommandSpec());
            }
        }
        return last;
    }
}
