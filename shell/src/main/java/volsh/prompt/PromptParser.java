package volsh.prompt;

import java.util.List;
import java.util.Optional;
import org.jline.reader.CompletingParsedLine;
import org.jline.reader.EOFError;
import org.jline.reader.ParsedLine;
import org.jline.reader.Parser;
import volsh.command.complete.Candidate;
import volsh.command.line.Entries;
import volsh.command.line.Language.Source;
import volsh.command.line.LineRule;
import volsh.command.line.Unfinished;
import volsh.command.render.EscapedText;
import volsh.command.typing.Completed;

/** Tells the editor when Enter runs an entry and when it begins another line, and what is being completed. */
final class PromptParser implements Parser {
    private final LineRule rule;
    private final PromptCompleter completer;

    PromptParser(LineRule rule, PromptCompleter completer) {
        this.rule = rule;
        this.completer = completer;
    }

    @Override
    public ParsedLine parse(String line, int cursor, ParseContext context) {
        if (context == ParseContext.ACCEPT_LINE || context == ParseContext.SECONDARY_PROMPT) {
            open(line).ifPresent(open -> {
                throw new EOFError(-1, -1, "unclosed " + open, open);
            });
        }
        if (context != ParseContext.COMPLETE) {
            return new Typed(line, cursor, "", 0, false);
        }
        Completed completed = completer.at(line, Math.min(cursor, line.length()));
        return new Typed(line, cursor, completed.typed(), cursor - completed.start(),
                completed.candidates().stream().noneMatch(Candidate::isCode));
    }

    /** What is open at the end of the last of the entries that were typed or pasted. */
    private Optional<String> open(String text) {
        Optional<String> open = Optional.empty();
        var entries = new Entries(new Source("prompt", text), rule);
        for (var entry = entries.next(); entry.isPresent(); entry = entries.next()) {
            open = Unfinished.sign(entry.get().source().text(), rule);
        }
        return open;
    }

    /** No escape characters for JLine: the language of lines reads backslashes itself. */
    @Override
    public boolean isEscapeChar(char ch) {
        return false;
    }

    /** What the word at the cursor means, up to the cursor, and how much of the line it is, to be replaced. */
    record Typed(String line, int cursor, String word, int raw, boolean quotes) implements CompletingParsedLine {
        @Override
        public List<String> words() {
            return List.of(word);
        }

        @Override
        public int wordCursor() {
            return word.length();
        }

        /** A name is written so that it is one word, means exactly this name, and tells the terminal nothing. */
        @Override
        public CharSequence escape(CharSequence candidate, boolean complete) {
            return quotes ? EscapedText.word(candidate.toString()) : candidate;
        }

        @Override
        public int rawWordCursor() {
            return raw;
        }

        @Override
        public int rawWordLength() {
            return raw;
        }

        @Override
        public int wordIndex() {
            return 0;
        }
    }
}
