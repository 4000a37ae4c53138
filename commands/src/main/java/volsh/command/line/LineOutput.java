package volsh.command.line;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import volsh.command.Session;
import volsh.command.pipe.Pipes;
import volsh.command.render.OutputFormat;
import volsh.command.render.Rendering;
import volsh.command.render.View;

/** Values of command lines as text: for files, for other programs, for {@code to} and {@code tee}. */
final class LineOutput implements Pipes.Shows {
    private static final Set<String> ENDINGS = Set.of("json", "jsonl", "csv", "tsv", "yaml");

    private final Session session;

    LineOutput(Session session) {
        this.session = session;
    }

    /** Text itself, or rows as the session's format shows them. */
    String text(@Nullable Object value) throws IOException {
        return value instanceof String text ? text : render(value, session.options().output());
    }

    private String render(@Nullable Object value, OutputFormat format) throws IOException {
        var text = new StringWriter();
        View view = session.view();
        Rendering.print(value, new View(format, List.of(), "", view.headers(), view.zone(), Integer.MAX_VALUE, false,
                false, view.unicode()), text);
        return text.toString();
    }

    void write(@Nullable Object value, Path file, boolean append) throws IOException {
        if (append) {
            Files.writeString(file, text(value), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } else {
            Files.writeString(file, text(value));
        }
    }

    @Override
    public String text(@Nullable Object value, String format) throws IOException {
        return render(value, OutputFormat.of(format));
    }

    @Override
    public void file(@Nullable Object value, String file) throws IOException {
        String name = file.toLowerCase(Locale.ROOT);
        String format = name.substring(name.lastIndexOf('.') + 1);
        try (var out = new OutputStreamWriter(Files.newOutputStream(Path.of(file)), StandardCharsets.UTF_8)) {
            out.write(ENDINGS.contains(format) ? render(value, OutputFormat.of(format)) : text(value));
        }
    }
}
