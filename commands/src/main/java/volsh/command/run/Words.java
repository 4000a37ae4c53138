package volsh.command.run;

import java.util.ArrayList;
import java.util.List;

/**
 * Splits a plain command line at blanks. Single and double quotes and backslashes keep blanks; nothing else is special.
 */
public final class Words {
    private final List<String> words = new ArrayList<>();
    private final StringBuilder word = new StringBuilder();
    private boolean open;

    private Words() {}

    /**
     * The words of a line, without a leading {@code volsh}.
     *
     * @throws IllegalArgumentException when a quote is not closed
     */
    public static List<String> of(String line) {
        var split = new Words();
        split.read(line);
        List<String> words = split.words;
        boolean named = !words.isEmpty() && words.getFirst().equals(CommandTree.PROGRAM);
        return named ? words.subList(1, words.size()) : words;
    }

    private void read(String line) {
        char quote = 0;
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (quote != 0 && c == quote) {
                quote = 0;
            } else if (quote == 0 && (c == '\'' || c == '"')) {
                quote = c;
                open = true;
            } else if (c == '\\' && quote != '\'' && i + 1 < line.length()) {
                add(line.charAt(++i));
            } else if (quote == 0 && Character.isWhitespace(c)) {
                end();
            } else {
                add(c);
            }
        }
        if (quote != 0) {
            throw new IllegalArgumentException("unclosed quote: " + line);
        }
        end();
    }

    private void add(char c) {
        open = true;
        word.append(c);
    }

    private void end() {
        if (open) {
            words.add(word.toString());
            word.setLength(0);
            open = false;
        }
    }
}
