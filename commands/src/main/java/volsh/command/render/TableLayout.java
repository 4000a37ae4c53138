package volsh.command.render;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * How wide the columns of a table are on a screen, and which of them it shows. Where a table is too wide, commands to
 * paste go to lines of their own below their rows; times lose their seconds, then their clock; columns without a value
 * in any row go, and those of least use; then texts lose their middle, but for the name, by which a row is known; then
 * whole columns go, the last first. The name is never cut: where it is wider than the screen by itself, the terminal
 * wraps it. Digits and commands are never cut either. Of {@code -o wide}, and of columns that the user
 * chose, none goes: a table that is still too wide then is left to the terminal to wrap.
 */
final class TableLayout {
    static final String GAP = "  ";
    private static final int LEAST_TEXT = 8;
    private static final int MINUTES = "2026-11-16 10:15".length();
    private static final int DAYS = "2026-11-16".length();
    /** Told as they are by most rows, and needed to act: they go last. */
    private static final List<String> KEPT = List.of("kind", "state", "health");
    /** Short words, of no use without their middle. */
    private static final List<String> WHOLE = List.of("kind", "state", "health", "mode");

    /** By what a row is known, the first that there is; else by the first column. */
    private static final List<String> NAMES = List.of("name", "run", "path");
    /** Of least use, the first first. */
    private static final List<String> EXPENDABLE = List.of("commits", "links", "group", "owner", "allocated", "store");
    /** What the run and its step say, too. */
    private static final String PATH_OF_RUN = "path";
    private static final List<String> NO_VALUES = List.of(Human.NOTHING, "", "0", "0B");

    private final List<? extends Column<?>> columns;
    private final int[] widths;
    private final boolean mayHide;
    private final int name;
    private final BitSet hidden = new BitSet();
    private final BitSet below = new BitSet();

    TableLayout(List<? extends Column<?>> columns, boolean mayHide) {
        this.columns = columns;
        this.widths = new int[columns.size()];
        this.mayHide = mayHide;
        this.name = Math.max(0, NAMES.stream().mapToInt(this::named).filter(i -> i >= 0).findFirst().orElse(0));
    }

    private int named(String column) {
        return IntStream.range(0, columns.size()).filter(i -> columns.get(i).name().equals(column)).findFirst()
                .orElse(-1);
    }

    /** Makes room for these cells; later pages may make columns wider, never narrower, and hide none. */
    void fit(List<String[]> page, boolean first, boolean headings, int screen) {
        for (int i = 0; i < widths.length; i++) {
            widths[i] = Math.max(widths[i], headings ? columns.get(i).heading().length() : 0);
            for (String[] cells : page) {
                widths[i] = Math.max(widths[i], DisplayWidth.of(cells[i]));
            }
        }
        int[] natural = widths.clone();
        if (first && mayHide && excess(screen) > 0) {
            moveCommands();
            shortenTimes(screen);
            hideEmpty(page, screen);
            expendable().mapToInt(this::named).filter(i -> i >= 0 && excess(screen) > 0 && i != name)
                    .forEach(hidden::set);
        }
        shrink(screen);
        if (first && mayHide && excess(screen) > 0) {
            hide(screen);
            System.arraycopy(natural, 0, widths, 0, widths.length);   // what is left may have more room now
            shrink(screen);
        }
        if (excess(screen) > 0 && !mayHide) {
            System.arraycopy(natural, 0, widths, 0, widths.length);   // it wraps in any case: then nothing is cut
        }
    }

    private Stream<String> expendable() {
        boolean run = columns.get(name).name().equals("run");
        return Stream.concat(run ? Stream.of(PATH_OF_RUN) : Stream.empty(), EXPENDABLE.stream());
    }

    private void moveCommands() {
        for (int i = 0; i < widths.length; i++) {
            below.set(i, columns.get(i).form() == Form.COMMAND && i != name);
        }
    }

    private boolean isOut(int column) {
        return hidden.get(column) || below.get(column);
    }

    private long excess(int screen) {
        long total = 0;
        for (int i = 0; i < widths.length; i++) {
            total += isOut(i) ? 0 : widths[i] + (total == 0 ? 0 : GAP.length());
        }
        return total - Math.max(0, screen);
    }

    private void hideEmpty(List<String[]> page, int screen) {
        for (int i = widths.length - 1; i >= 0 && excess(screen) > 0; i--) {
            int column = i;
            hidden.set(i, isOut(i) || i != name && !page.isEmpty()
                    && page.stream().allMatch(cells -> NO_VALUES.contains(cells[column])));
            hidden.andNot(below);
        }
    }

    private void shrink(int screen) {
        shortenTimes(screen);
        shrinkTexts(screen);
    }

    private void shortenTimes(int screen) {
        shortenTimes(MINUTES, screen);
        shortenTimes(DAYS, screen);
    }

    private void shortenTimes(int width, int screen) {
        for (int i = 0; i < widths.length; i++) {
            if (columns.get(i).form() == Form.TIME && excess(screen) > 0) {
                widths[i] = Math.min(widths[i], width);
            }
        }
    }

    private void shrinkTexts(int screen) {
        for (long excess = excess(screen); excess > 0; excess--) {
            int widest = widestText();
            if (widest < 0) {
                return;
            }
            widths[widest]--;
        }
    }

    private int widestText() {
        int widest = -1;
        for (int i = 0; i < widths.length; i++) {
            var column = columns.get(i);
            boolean mayShrink = i != name && column.form() == Form.TEXT && !isOut(i) && !WHOLE.contains(column.name())
                    && widths[i] > Math.max(LEAST_TEXT, column.heading().length());
            if (mayShrink && (widest < 0 || widths[i] > widths[widest])) {
                widest = i;
            }
        }
        return widest;
    }

    private void hide(int screen) {
        int leading = name == widths.length - 1 ? 0 : -1;   // a name at the end may wrap, and has something before it
        for (boolean kept : new boolean[] {false, true}) {
            for (int i = widths.length - 1; i > leading && excess(screen) > 0; i--) {
                if (i != name && !below.get(i) && KEPT.contains(columns.get(i).name()) == kept) {
                    hidden.set(i);
                }
            }
        }
        var last = expendable().toList();
        // one that was wider than it had to be may have made room for a smaller one
        for (boolean expendable : new boolean[] {false, true}) {
            for (int i = 0; i < widths.length; i++) {
                if (hidden.get(i) && last.contains(columns.get(i).name()) == expendable) {
                    hidden.clear(i);
                    hidden.set(i, excess(screen) > 0);
                }
            }
        }
    }

    /** The columns that are shown, by number. */
    int[] shown() {
        return IntStream.range(0, widths.length).filter(i -> !isOut(i)).toArray();
    }

    /** The columns whose cells are shown on lines of their own, below their rows. */
    int[] below() {
        return below.stream().toArray();
    }

    /** The headings of those that are not. */
    List<String> hidden() {
        var names = new ArrayList<String>();
        hidden.stream().forEach(i -> names.add(columns.get(i).heading()));
        return names;
    }

    int width(int column) {
        return widths[column];
    }

    /** The cell as it fits. */
    String cut(String cell, int column, String ellipsis) {
        return switch (columns.get(column).form()) {
            case TEXT -> DisplayWidth.elide(cell, widths[column], ellipsis);
            case TIME -> DisplayWidth.head(cell, widths[column]).strip();
            case NUMBER, BYTES, RATE, SPAN, COMMAND -> cell;
        };
    }
}
