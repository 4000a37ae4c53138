package volsh.command.man;

import java.util.List;
import java.util.Locale;
import volsh.command.failure.ExitCode;

/** A manual page in troff's man macros, as {@code man} reads it. */
public final class ManPage {
    private final StringBuilder page = new StringBuilder();

    private ManPage() {}

    /** The page of one command. */
    public static String of(Manual manual, String version) {
        var man = new ManPage();
        man.write(manual, version);
        return man.page.toString();
    }

    /** The name of the page: {@code volsh-volume-create}. */
    public static String name(Manual manual) {
        return manual.command().replace(' ', '-');
    }

    /** {@code volsh-exit(7)}: what the exit codes mean. */
    public static String exitCodes(String version) {
        var man = new ManPage();
        man.title("volsh-exit", 7, version);
        man.section("NAME");
        man.text("volsh-exit \u2013 exit codes of volsh");
        man.section("DESCRIPTION");
        man.text("Scripts may rely on these numbers. Retry only after 6 and 124.");
        for (ExitCode code : ExitCode.values()) {
            man.entry(new Manual.Entry(code.status() + " " + code.kind(), code.meaning() + "."));
        }
        return man.page.toString();
    }

    /** The page of a topic. */
    public static String of(Topic topic, String version) {
        var man = new ManPage();
        man.title("volsh-" + topic.name(), 7, version);
        man.section("NAME");
        man.text("volsh-" + topic.name() + " \u2013 " + topic.summary());
        man.section("DESCRIPTION");
        topic.text().lines().forEach(man::line);
        return man.page.toString();
    }

    private void line(String line) {
        if (line.startsWith("## ")) {
            section(line.substring(3));
        } else if (line.isBlank()) {
            page.append(".PP\n");
        } else {
            boolean asItIs = line.startsWith(" ");
            page.append(asItIs ? ".nf\n" : "");
            text(line);
            page.append(asItIs ? ".fi\n" : "");
        }
    }

    private void write(Manual manual, String version) {
        title(name(manual), 1, version);
        section("NAME");
        text(name(manual) + " \u2013 " + manual.summary());
        section("EXAMPLES");
        page.append(".nf\n");
        manual.examples().forEach(this::text);
        page.append(".fi\n");
        section("SYNOPSIS");
        text(manual.synopsis());
        section("DESCRIPTION");
        manual.description().forEach(this::paragraph);
        if (!manual.aliases().isEmpty()) {
            paragraph("Also known as " + String.join(", ", manual.aliases()) + ".");
        }
        entries("COMMANDS", manual.commands());
        entries("ARGUMENTS", manual.parameters());
        entries("OPTIONS", manual.options());
        entries("OPTIONS OF EVERY COMMAND", manual.globals());
        section("EXIT STATUS");
        text("0 on success, 2 if the command line is invalid; see volsh-exit(7) for the others.");
    }

    private void title(String name, int chapter, String version) {
        page.append(".TH ").append(quoted(name.toUpperCase(Locale.ROOT))).append(' ').append(chapter)
                .append(" \"\" ").append(quoted("volsh " + version)).append(" \"volsh manual\"\n.nh\n.ad l\n");
    }

    private void section(String title) {
        page.append(".SH ").append(quoted(title)).append('\n');
    }

    private void paragraph(String text) {
        page.append(".PP\n");
        text(text);
    }

    private void entries(String title, List<Manual.Entry> entries) {
        if (!entries.isEmpty()) {
            section(title);
            entries.forEach(this::entry);
        }
    }

    private void entry(Manual.Entry entry) {
        page.append(".TP\n.B ").append(quoted(entry.term())).append('\n');
        text(entry.meaning());
    }

    private void text(String text) {
        page.append(escaped(text)).append('\n');
    }

    private static String quoted(String text) {
        return '"' + escaped(text).replace("\"", "\\(dq") + '"';
    }

    /** Text that troff takes literally: no escapes, no requests, dashes that can be pasted. */
    private static String escaped(String text) {
        String literal = text.replace("\\", "\\e").replace("-", "\\-").replace("\u2013", "\\-").replace("'", "\\(aq")
                .replace("\n", " ");
        return literal.startsWith(".") ? "\\&" + literal : literal;
    }
}
