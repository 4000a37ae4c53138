package volsh.command.typing;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import volsh.command.complete.LineWalk;
import volsh.command.man.HelpPage;
import volsh.command.man.Manual;
import volsh.command.man.Topic;

/** Finds the help page for the word under the cursor. */
public final class Subject {
    private static final Pattern NOUN = Pattern.compile("(?<noun>[a-z]\\w*)(?:\\.(?<verb>[a-zA-Z]\\w*))?");

    private final Lexicon lexicon;

    public Subject(Lexicon lexicon) {
        this.lexicon = lexicon;
    }

    /**
     * The page about the word at the cursor: of its command, of pipes, of scripts; of the prompt where nothing is
     * typed.
     */
    public String page(String line, int cursor, int width, boolean colour) {
        if (line.isBlank()) {
            return topic("prompt", width, colour);
        }
        int end = endOfWord(line, cursor);
        return switch (Place.of(line, end, lexicon.rule())) {
            case Place.InCommand(List<String> words, Place.Typed typed) -> command(words, typed.text())
                    .map(spec -> HelpPage.of(Manual.of(spec), width, colour))
                    .orElseGet(() -> topic("prompt", width, colour));
            case Place.InPipe _ -> topic("pipes", width, colour);
            case Place.InCode(String text, int _, List<List<String>> _) -> inCode(text)
                    .map(spec -> HelpPage.of(Manual.of(spec), width, colour))
                    .orElseGet(() -> topic("scripts", width, colour));
            case Place.InFile _, Place.Nowhere _ -> topic("prompt", width, colour);
        };
    }

    private static int endOfWord(String line, int cursor) {
        int end = cursor;
        while (end < line.length() && (Character.isLetterOrDigit(line.charAt(end)) || line.charAt(end) == '-')) {
            end++;
        }
        return end;
    }

    private static String topic(String name, int width, boolean colour) {
        return HelpPage.of(Topic.named(name).orElseThrow(), width, colour);
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
