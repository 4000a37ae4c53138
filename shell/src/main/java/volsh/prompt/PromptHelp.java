package volsh.prompt;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;
import org.jline.builtins.Less;
import org.jline.builtins.Source;
import org.jline.keymap.KeyMap;
import org.jline.reader.LineReader;
import org.jline.reader.Reference;
import org.jline.terminal.Terminal;
import volsh.command.typing.Lexicon;
import volsh.command.typing.Subject;

/**
 * F1 and Alt-h: the page about the word under the cursor, above the line if it fits on the screen, else to scroll
 * through.
 */
final class PromptHelp {
    private static final String WIDGET = "volsh-help";

    private final Subject subject;
    private final boolean colour;

    PromptHelp(Lexicon lexicon, boolean colour) {
        this.subject = new Subject(lexicon);
        this.colour = colour;
    }

    void install(LineReader reader) {
        reader.getWidgets().put(WIDGET, () -> show(reader));
        for (String map : new String[] {LineReader.EMACS, LineReader.VIINS, LineReader.VICMD}) {
            Objects.requireNonNull(reader.getKeyMaps().get(map))
                    .bind(new Reference(WIDGET), KeyMap.alt('h'), "\u001bOP", "\u001b[11~",
                    "\u001b[[A");
        }
    }

    private boolean show(LineReader reader) {
        var terminal = reader.getTerminal();
        Subject.Page page = subject.page(reader.getBuffer().toString(), reader.getBuffer().cursor(),
                terminal.getWidth(), colour);
        if (page.text().lines().count() < terminal.getHeight() - 3 || terminal.getType().startsWith("dumb")) {
            reader.printAbove(page.text());
            return true;
        }
        return scroll(reader, page);
    }

    private static boolean scroll(LineReader reader, Subject.Page page) {
        try {
            new Opened(reader.getTerminal(), page.line()).run(new Page(page.text()));
        } catch (IOException failed) {
            reader.printAbove(page.text());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
        reader.callWidget(LineReader.REDRAW_LINE);
        reader.callWidget(LineReader.REDISPLAY);
        return true;
    }

    /** The pager, which begins at a line. */
    private static final class Opened extends Less {
        private final int line;

        Opened(Terminal terminal, int line) {
            super(terminal, Path.of(""));
            this.line = line;
        }

        @Override
        protected void openSource() throws IOException {
            super.openSource();
            firstLineToDisplay = sourceIdx == 0 ? 0 : line;   // the first source is the help of the pager itself
        }
    }

    private record Page(String text) implements Source {
        @Override
        public String getName() {
            return "help (q leaves)";
        }

        @Override
        public InputStream read() {
            return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public Long lines() {
            return text.lines().count();
        }
    }
}
