package volsh.prompt;

import java.util.List;
import java.util.Map;
import org.jline.utils.AttributedString;

/**
 * The line as it is on the screen, up to the cursor.
 *
 * @param secondary the prompts of its second and further lines
 * @param columns   the width that it was drawn for
 */
record DrawnLine(AttributedString prompt, AttributedString right, String beforeCursor,
        List<AttributedString> secondary, int columns) {

    /** Whether a terminal breaks wrapped lines anew when its width changes, as nearly all do. */
    static boolean reflows(Map<String, String> environment) {
        String type = environment.getOrDefault("TERM", "");
        boolean screen = type.startsWith("screen") && !environment.containsKey("TMUX");
        return !environment.containsKey("XTERM_VERSION") && !screen && !type.startsWith("linux");
    }

    /** How many rows there are above that of the cursor, if the terminal is this wide now. */
    int rowsAbove(int width) {
        String[] lines = beforeCursor.split("\n", -1);
        int rows = 0;
        for (int i = 0; i < lines.length; i++) {
            int cells = cells(i, lines[i]);
            boolean last = i == lines.length - 1;
            int drawn = i == 0 && right.length() > 0 ? Math.max(cells, columns) : cells;
            rows += last ? cells / width : Math.max(1, (drawn + width - 1) / width);
        }
        return rows;
    }

    private int cells(int line, String text) {
        int before = line == 0 ? prompt.columnLength()
                : line <= secondary.size() ? secondary.get(line - 1).columnLength() : 0;
        return before + new AttributedString(text).columnLength();
    }
}
