package volsh.command.render;

import java.io.IOException;
import java.io.Writer;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A YAML sequence of mappings, or one mapping. Texts that YAML could take for something else are quoted as in JSON. */
final class YamlRenderer implements Renderer {
    private static final Set<String> WORDS = Set.of("true", "false", "null", "yes", "no", "on", "off", "y", "n");

    @Override
    public <T> void render(Rows<T> rows, List<Column<T>> columns, View view, Writer out) throws IOException {
        boolean none = true;
        for (T row : rows) {
            mapping(row, columns, rows.single(), out);
            none = false;
        }
        out.write(none ? "[]\n" : "");
    }

    private static <T> void mapping(T row, List<Column<T>> columns, boolean single, Writer out) throws IOException {
        String indent = single ? "" : "- ";
        for (var column : columns) {
            out.write(indent + scalar(column.field()) + ": " + scalar(column.machine(row)) + "\n");
            indent = single ? "" : "  ";
        }
    }

    private static String scalar(@Nullable Object value) {
        return value instanceof String text && plain(text) ? text : Json.of(value);
    }

    private static boolean plain(String text) {
        if (text.isEmpty() || WORDS.contains(text.toLowerCase(Locale.ROOT)) || !Character.isLetter(text.charAt(0))) {
            return false;
        }
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= 0x80 || !Character.isLetterOrDigit(c) && "_-./".indexOf(c) < 0) {
                return false;
            }
        }
        return true;
    }
}
