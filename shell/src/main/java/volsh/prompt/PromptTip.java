package volsh.prompt;

import java.util.List;
import org.jline.reader.Highlighter;
import org.jline.reader.LineReader;
import org.jline.reader.impl.LineReaderImpl;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;
import org.jline.utils.Status;
import volsh.command.typing.Lexicon;
import volsh.command.typing.Tip;

/**
 * The line at the bottom of the screen that says what comes next. It is there while a line is read, and gone while one runs.
 * Every time the line is drawn, the tip is, too.
 */
final class PromptTip implements Highlighter {
    private static final int LEAST_COLUMNS = 60;
    private static final int LEAST_ROWS = 10;

    private final LineReader reader;
    private final Highlighter colours;
    private final Lexicon lexicon;
    private final boolean colour;
    private boolean reading;
    private Tip shown = Tip.NONE;

    private PromptTip(LineReaderImpl reader, Lexicon lexicon, boolean colour) {
        this.reader = reader;
        this.colours = reader.getHighlighter();
        this.lexicon = lexicon;
        this.colour = colour;
    }

    /** Where there is room for it, and the terminal can. @return what takes the tip away, for when a line was read */
    static Runnable install(LineReader reader, Lexicon lexicon, boolean colour) {
        boolean able = !reader.getTerminal().getType().startsWith("dumb")
                && Status.getStatus(reader.getTerminal()) != null;
        if (able && reader instanceof LineReaderImpl editor) {
            var tip = new PromptTip(editor, lexicon, colour);
            editor.setHighlighter(tip);
            reader.getWidgets().put(LineReader.CALLBACK_INIT, tip::begin);
            return tip::end;
        }
        return () -> { };
    }

    private boolean begin() {
        reading = reader.getTerminal().getWidth() >= LEAST_COLUMNS && reader.getTerminal().getHeight() >= LEAST_ROWS;
        shown = Tip.NONE;
        update(reading ? List.of(AttributedString.EMPTY) : List.of());
        return true;
    }

    private void end() {
        if (reading) {
            reading = false;
            update(List.of());
        }
    }

    private void update(List<AttributedString> lines) {
        Status.getStatus(reader.getTerminal()).update(lines);
    }

    @Override
    public AttributedString highlight(LineReader drawn, String buffer) {
        if (reading) {
            Tip tip = Tip.of(buffer, Math.min(reader.getBuffer().cursor(), buffer.length()), lexicon);
            if (!tip.equals(shown)) {
                shown = tip;
                update(List.of(text(tip)));
            }
        }
        return colours.highlight(drawn, buffer);
    }

    private AttributedString text(Tip tip) {
        AttributedStyle quiet = colour ? AttributedStyle.DEFAULT.faint() : AttributedStyle.DEFAULT;
        var text = new AttributedStringBuilder();
        int at = tip.current().isEmpty() ? -1 : tip.usage().lastIndexOf(tip.current());
        if (at < 0) {
            text.append(tip.usage(), quiet);
        } else {
            text.append(tip.usage().substring(0, at), quiet);
            text.append(tip.current(), colour ? AttributedStyle.BOLD : AttributedStyle.DEFAULT);
            text.append(tip.usage().substring(at + tip.current().length()), quiet);
        }
        text.append(tip.meaning().isEmpty() ? "" : "   " + tip.meaning(), quiet);
        return text.toAttributedString().columnSubSequence(0, reader.getTerminal().getWidth() - 1);
    }
}
