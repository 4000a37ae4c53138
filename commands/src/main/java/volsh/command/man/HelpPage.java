package volsh.command.man;

import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import volsh.command.render.DisplayWidth;
import volsh.command.render.Style;

/** Help as text for a terminal: what it is, examples, then the synopsis and the options. */
public final class HelpPage {
    private static final int LEAST = 40;
    private static final int TERM_COLUMN = 26;

    private final StringBuilder page = new StringBuilder();
    private final int width;
    private final boolean colour;

    private HelpPage(int width, boolean colour) {
        this.width = Math.max(LEAST, width);
        this.colour = colour;
    }

    /** The page, wrapped at {@code width} cells. */
    public static String of(Manual manual, int width, boolean colour) {
        var help = new HelpPage(width, colour);
        help.write(manual);
        return help.page.toString();
    }

    /** The page of a topic, wrapped likewise. */
    public static String of(Topic topic, int width, boolean colour) {
        var help = new HelpPage(width, colour);
        help.write(topic);
        return help.page.toString();
    }

    /** The page of a method of scripts, wrapped likewise. */
    public static String of(ScriptMethod method, int width, boolean colour) {
        var help = new HelpPage(width, colour);
        help.wrapped(method.summary(), 0);
        help.section("In scripts", method.signature().isEmpty() ? List.of() : List.of(method.signature()));
        help.section("Examples", method.examples());
        help.entries("Arguments", method.parameters());
        help.entries("Named arguments", method.options());
        help.entries("Methods", method.methods());
        return help.page.toString();
    }

    private void write(Topic topic) {
        var paragraph = new StringJoiner(" ");
        for (String line : topic.text().lines().toList()) {
            boolean text = !line.isBlank() && !line.startsWith(" ") && !line.startsWith("## ");
            if (!text) {
                paragraph = end(paragraph);
                asItIs(line);
            } else {
                paragraph.add(line);
            }
        }
        end(paragraph);
    }

    private void asItIs(String line) {
        String shown = line.startsWith("## ") ? Style.BOLD.on(line.substring(3), colour) : line;
        page.append(shown).append('\n');
    }

    private StringJoiner end(StringJoiner paragraph) {
        if (paragraph.length() > 0) {
            wrapped(paragraph.toString(), 0);
        }
        return new StringJoiner(" ");
    }

    private void write(Manual manual) {
        manual.description().forEach(paragraph -> wrapped(paragraph, 0));
        section("Examples", manual.examples());
        section("Usage", List.of(manual.synopsis()));
        section("Also known as", manual.aliases());
        if (manual.command().indexOf(' ') < 0) {
            Area.of(manual.commands()).forEach(area -> entries(area.title(), area.commands()));
        } else {
            entries("Commands", manual.commands());
        }
        entries("Arguments", manual.parameters());
        entries("Options", manual.options());
        if (manual.command().indexOf(' ') < 0) {
            entries("Options of every command", manual.globals());
            entries("Topics (volsh help TOPIC)", Topic.all().stream()
                    .map(topic -> new Manual.Entry(topic.name(), topic.summary())).toList());
        } else {
            brief(manual.globals());
        }
    }

    private void section(String title, List<String> lines) {
        if (!lines.isEmpty()) {
            title(title);
            lines.forEach(line -> page.append("  ").append(line).append('\n'));
        }
    }

    private void entries(String title, List<Manual.Entry> entries) {
        if (entries.isEmpty()) {
            return;
        }
        title(title);
        int column = Math.min(TERM_COLUMN, width / 2);
        for (var entry : entries) {
            String term = "  " + entry.term();
            page.append(term);
            int used = DisplayWidth.of(term);
            page.append(used + 2 <= column ? " ".repeat(column - used) : "\n" + " ".repeat(column));
            wrapped(entry.meaning(), column);
        }
    }

    /** The options every command has, by name only: the overview explains them. */
    private void brief(List<Manual.Entry> entries) {
        title("Options of every command (volsh --help explains them)");
        var terms = new StringJoiner("; ");
        entries.forEach(entry -> terms.add(entry.term().replace(' ', '\u00a0')));
        int start = page.length();
        page.append("  ");
        wrapped(terms.toString(), 2);
        page.replace(start, page.length(), page.substring(start).replace('\u00a0', ' '));
    }

    private void title(String title) {
        page.append('\n').append(Style.BOLD.on(title + ":", colour)).append('\n');
    }

    /** Words broken into lines; the first one begins where the cursor is, the others at {@code indent}. */
    private void wrapped(String text, int indent) {
        var lines = new ArrayList<String>();
        var line = new StringBuilder();
        for (String word : text.split(" ")) {
            if (!line.isEmpty() && DisplayWidth.of(line.toString()) + 1 + DisplayWidth.of(word) > width - indent) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        lines.add(line.toString());
        page.append(String.join("\n" + " ".repeat(indent), lines)).append('\n');
    }
}
