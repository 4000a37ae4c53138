package volsh.prompt;

import java.util.function.BooleanSupplier;
import org.jline.reader.Highlighter;
import org.jline.reader.LineReader;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;
import volsh.command.render.Printable;
import volsh.command.typing.Colouring;
import volsh.command.typing.Lexicon;
import volsh.command.typing.Mark;

/** Colours a line while it is typed: unknown commands and options in red, commands in bold, and so on. */
final class PromptColours implements Highlighter {
    private static final char SIGN = '?';

    private final Colouring colouring;
    private final BooleanSupplier colour;

    /** {@code colour}: asked for every line. */
    PromptColours(Lexicon lexicon, BooleanSupplier colour) {
        this.colouring = new Colouring(lexicon);
        this.colour = colour;
    }

    @Override
    public AttributedString highlight(LineReader reader, String buffer) {
        if (!colour.getAsBoolean()) {
            return new AttributedString(harmless(buffer));
        }
        var styles = new AttributedStyle[buffer.length()];
        for (Mark mark : colouring.marks(buffer)) {
            for (int i = mark.start(); i < Math.min(mark.end(), buffer.length()); i++) {
                styles[i] = style(mark.kind());
            }
        }
        var shown = new AttributedStringBuilder();
        for (int i = 0; i < buffer.length(); i++) {
            shown.style(styles[i] == null ? AttributedStyle.DEFAULT : styles[i]).append(harmless(buffer, i));
        }
        return shown.toAttributedString();
    }

    /** Pasted or recalled control characters are shown by a sign, one for one, so that the cursor stays right. */
    private static String harmless(String buffer) {
        var shown = new StringBuilder(buffer.length());
        for (int i = 0; i < buffer.length(); i++) {
            shown.append(harmless(buffer, i));
        }
        return shown.toString();
    }

    private static char harmless(String buffer, int index) {
        char c = buffer.charAt(index);
        return c == '\n' || c == '\t' || Printable.is(buffer, index) ? c : SIGN;
    }

    private static AttributedStyle style(Mark.Kind kind) {
        return switch (kind) {
            case COMMAND -> AttributedStyle.BOLD;
            case WRONG -> AttributedStyle.DEFAULT.foreground(AttributedStyle.RED);
            case OPTION -> AttributedStyle.DEFAULT.foreground(AttributedStyle.CYAN);
            case STRING -> AttributedStyle.DEFAULT.foreground(AttributedStyle.GREEN);
            case CODE, NUMBER -> AttributedStyle.DEFAULT.foreground(AttributedStyle.MAGENTA);
            case OPERATOR, KEYWORD -> AttributedStyle.DEFAULT.foreground(AttributedStyle.BLUE);
            case COMMENT -> AttributedStyle.DEFAULT.faint();
            case SYSTEM -> AttributedStyle.DEFAULT.foreground(AttributedStyle.YELLOW);
        };
    }
}
