package volsh.prompt;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jline.reader.CompletingParsedLine;
import org.jline.reader.EOFError;
import org.jline.reader.ParsedLine;
import org.jline.reader.Parser;
import volsh.command.line.Entries;
import volsh.command.line.Language.Source;
import volsh.command.line.LineRule;
import volsh.command.line.Unfinished;

/** Tells the editor when Enter runs an entry and when it begins another line, and what is being completed. */
final class PromptParser implements Parser {
    private final LineRule rule;

    PromptParser(LineRule rule) {
        this.rule = rule;
    }

    @Override
    public ParsedLine parse(String line, int cursor, ParseContext context) {
        if (context == ParseContext.ACCEPT_LINE || context == ParseContext.SECONDARY_PROMPT) {
            open(line).ifPresent(open -> {
                throw new EOFError(-1, -1, open + " is open", open);
            });
        }
        return Typed.of(line, cursor);
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

    /** A backslash is ours to read. */
    @Override
    public boolean isEscapeChar(char ch) {
        return false;
    }

    /** The words of the command at the cursor, up to the cursor: only what is behind the last pipe or connector counts. */
    record Typed(String line, int cursor, List<String> words) implements CompletingParsedLine {
        static Typed of(String line, int cursor) {
            String before = line.substring(0, Math.min(cursor, line.length()));
            var words = new ArrayList<String>();
            for (String word : before.stripLeading().split("\\s+", -1)) {
                boolean connector = word.matches("\\||\\|\\||&&|;");
                if (connector) {
                    words.clear();
                } else {
                    words.add(word);
                }
                if (word.length() > 1 && word.endsWith(";")) {
                    words.clear();
                }
            }
            if (words.isEmpty()) {
                words.add("");
            }
            return new Typed(line, cursor, List.copyOf(words));
        }

        @Override
        public String word() {
            return words.getLast();
        }

        @Override
        public int wordCursor() {
            return word().length();
        }

        /** What is completed are names, which need no quotes. */
        @Override
        public CharSequence escape(CharSequence candidate, boolean complete) {
            return candidate;
        }

        @Override
        public int rawWordCursor() {
            return wordCursor();
        }

        @Override
        public int rawWordLength() {
            return wordCursor();
        }

        @Override
        public int wordIndex() {
            return words.size() - 1;
        }
    }
}
