package volsh.command.line;

import java.util.List;
import java.util.Optional;
import volsh.command.line.Language.Source;

/**
 * A text of many lines, cut into entries: a command takes one line, code continues while a bracket or quote is open.
 */
public final class Entries {
    private final String name;
    private final List<String> lines;
    private final LineRule rule;
    private int next;

    public Entries(Source source, LineRule rule) {
        this.name = source.name();
        this.lines = source.text().lines().toList();
        this.rule = rule;
    }

    /** An entry, and the line it begins at. */
    public record Entry(LineKind kind, Source source) {}

    /** The next one; empty at the end. What an entry does may change what the next one is. */
    public Optional<Entry> next() {
        if (next == lines.size()) {
            return Optional.empty();
        }
        int first = next;
        var text = new StringBuilder(lines.get(next++));
        while (next < lines.size() && unfinished(text.toString())) {
            if (text.toString().endsWith("\\")) {
                text.setLength(text.length() - 1);
                text.append(' ');
            } else {
                text.append('\n');
            }
            text.append(lines.get(next++));
        }
        return Optional.of(new Entry(rule.classify(text.toString()), new Source(name, text.toString(), first + 1)));
    }

    private boolean unfinished(String text) {
        return Unfinished.sign(text, rule).isPresent();
    }
}
