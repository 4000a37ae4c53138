package volsh.prompt;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jline.keymap.KeyMap;
import org.jline.reader.Binding;
import org.jline.reader.History;
import org.jline.reader.LineReader;
import org.jline.reader.Reference;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;
import volsh.command.render.Printable;

/**
 * A search in the history: the lines that contain all typed words, the newest first, each once, and one of them
 * selected.
 */
final class HistorySearch {
    static final String WIDGET = "volsh-search-history";
    static final String LEAVE = "volsh-leave-search";
    /** Escape leaves the search with the line that was found, to edit it. */
    static final KeyMap<Binding> LEAVING = new KeyMap<>();
    private static final int LINES_MAX = 1_000;
    private static final Set<String> OLDER = Set.of(WIDGET, LineReader.HISTORY_INCREMENTAL_SEARCH_BACKWARD,
            LineReader.DOWN_LINE_OR_HISTORY, LineReader.DOWN_LINE_OR_SEARCH, LineReader.DOWN_HISTORY,
            LineReader.DOWN_LINE);
    private static final Set<String> NEWER = Set.of(LineReader.HISTORY_INCREMENTAL_SEARCH_FORWARD,
            LineReader.UP_LINE_OR_HISTORY, LineReader.UP_LINE_OR_SEARCH, LineReader.UP_HISTORY, LineReader.UP_LINE);

    static {
        LEAVING.bind(new Reference(LEAVE), "\u001b");
    }

    private final List<String> lines;
    private final StringBuilder term = new StringBuilder();
    private List<String> found;
    private int selection;

    HistorySearch(History history) {
        var all = new LinkedHashSet<String>();
        var newest = history.reverseIterator(history.last());
        while (newest.hasNext() && all.size() < LINES_MAX) {
            all.add(newest.next().line());
        }
        lines = List.copyOf(all);
        found = lines;
    }

    /** The selected line; empty if none contains what is typed. */
    Optional<String> selected() {
        return found.isEmpty() || term.isEmpty() && selection == 0 ? Optional.empty()
                : Optional.of(found.get(selection));
    }

    /** Takes a key by the name of its action; false if it ends the search. */
    boolean take(String action, String key) {
        if (OLDER.contains(action)) {
            selection = Math.min(selection + 1, Math.max(0, found.size() - 1));
        } else if (NEWER.contains(action)) {
            selection = Math.max(0, selection - 1);
        } else if (action.equals(LineReader.SELF_INSERT)) {
            filter(term.append(key));
        } else if (action.equals(LineReader.BACKWARD_DELETE_CHAR)) {
            term.setLength(Math.max(0, term.length() - 1));
            filter(term);
        } else {
            return false;
        }
        return true;
    }

    /** Capitals matter only if some are typed. */
    private void filter(CharSequence typed) {
        String wanted = typed.toString();
        boolean exact = !wanted.equals(wanted.toLowerCase(Locale.ROOT));
        List<String> words = List.of(wanted.strip().split("\\s+"));
        var matching = new ArrayList<String>();
        for (String line : lines) {
            String plain = exact ? line : line.toLowerCase(Locale.ROOT);
            if (words.stream().allMatch(plain::contains)) {
                matching.add(line);
            }
        }
        found = matching;
        selection = 0;
    }

    /** What is typed, and the lines around the selected one. */
    AttributedString shown(int rows, int columns) {
        var text = new AttributedStringBuilder();
        text.append("history: ").append(Printable.of(term.toString())).append('_')
                .append(found.isEmpty() ? "   (no line contains this)" : "   (%d of %d)".formatted(selection + 1,
                        found.size()));
        int first = Math.max(0, Math.min(selection - rows / 2, found.size() - rows));
        for (int i = first; i < Math.min(found.size(), first + rows); i++) {
            var line = new AttributedString((i == selection ? "> " : "  ") + Printable.of(found.get(i)),
                    i == selection ? AttributedStyle.BOLD : AttributedStyle.DEFAULT);
            text.append("\n").append(line.columnSubSequence(0, columns - 1));
        }
        return text.toAttributedString();
    }
}
