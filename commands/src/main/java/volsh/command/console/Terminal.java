package volsh.command.console;

import java.util.Map;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What is known about the terminal around us. Asking for the width may start a process, so it is asked only when
 * needed.
 *
 * @param input  whether standard input is a terminal, so that a question can be answered
 * @param output whether standard output is one
 * @param error  whether standard error is one
 * @param size   columns of the terminal, or anything below 1 when unknown
 */
public record Terminal(boolean input, boolean output, boolean error, IntSupplier size) {
    private static final int USUAL = 80;
    private static final int USUAL_ROWS = 24;

    /** No terminal at all: pipes and files. */
    public static Terminal none() {
        return new Terminal(false, false, false, () -> 0);
    }

    /** Columns for help texts and progress: what {@code COLUMNS} says, else the terminal's, else 80. */
    public int width(Map<String, String> environment) {
        int told = number(environment.get("COLUMNS"));
        if (told > 0) {
            return told;
        }
        int size = output || error ? this.size.getAsInt() : 0;
        return size > 0 ? size : USUAL;
    }

    /** Columns for tables: without bound when the output is not a terminal, so that a pipe never loses text. */
    public int tableWidth(Map<String, String> environment) {
        return output ? width(environment) : Integer.MAX_VALUE;
    }

    /** Rows of the screen: what {@code LINES} says, else the terminal's, else 24. */
    public int height(Map<String, String> environment) {
        int told = number(environment.get("LINES"));
        int size = told > 0 || !output ? told : ProcessTerminal.rows();
        return size > 0 ? size : USUAL_ROWS;
    }

    private static int number(@Nullable String text) {
        try {
            return text == null ? 0 : Integer.parseInt(text);
        } catch (NumberFormatException notOne) {
            return 0;
        }
    }

    /** Whether the locale shows more than ASCII. */
    public static boolean unicode(Map<String, String> environment) {
        for (String name : new String[] {"LC_ALL", "LC_CTYPE", "LANG"}) {
            String locale = environment.getOrDefault(name, "");
            if (!locale.isEmpty()) {
                String upper = locale.toUpperCase(java.util.Locale.ROOT);
                return upper.contains("UTF-8") || upper.contains("UTF8");
            }
        }
        return false;
    }
}
