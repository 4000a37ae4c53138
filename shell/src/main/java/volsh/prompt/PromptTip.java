package volsh.prompt;

import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;
import volsh.command.typing.Lexicon;
import volsh.command.typing.Tip;

/** The tip below the typed line: the usage of the command, and the argument at the cursor. */
final class PromptTip {
    private static final int LEAST_COLUMNS = 60;
    private static final int LEAST_ROWS = 8;

    /** Without tips. */
    static final PromptTip NONE = new PromptTip((_, _) -> Tip.NONE, false);

    private final BiFunction<String, Integer, Tip> tips;
    private final boolean colour;

    private PromptTip(BiFunction<String, Integer, Tip> tips, boolean colour) {
        this.tips = tips;
        this.colour = colour;
    }

    /** {@code known}: whether the lexicon can be asked without waiting. */
    PromptTip(Lexicon lexicon, BooleanSupplier known, boolean colour) {
        this((line, cursor) -> known.getAsBoolean() ? Tip.of(line, cursor, lexicon) : Tip.NONE, colour);
    }

    /** The tip for this line on a screen of this size; empty without a tip or without space. */
    AttributedString of(String line, int cursor, int rows, int columns) {
        Tip tip = columns < LEAST_COLUMNS || rows < LEAST_ROWS ? Tip.NONE : tips.apply(line, cursor);
        return text(tip).columnSubSequence(0, columns - 1);
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
        return text.toAttributedString();
    }
}
