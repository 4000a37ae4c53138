package volsh.prompt;

import java.util.List;
import org.jline.reader.LineReader;
import org.jline.reader.impl.LineReaderImpl;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;

/**
 * JLine's editor, which draws a tip below the line during typing. It is part of what is drawn, as the menu is: the
 * terminal scrolls by itself, and when the line is finished the tip is gone. (JLine's own place for this, a status bar,
 * keeps the last
 * row of the terminal for itself and scrolls the screen each time it comes.)
 */
final class TippedReader extends LineReaderImpl {
    private final PromptTip tip;

    private TippedReader(LineReaderImpl built, PromptTip tip) {
        super(built.getTerminal(), built.getAppName(), built.getVariables());
        this.tip = tip;
    }

    /** A reader that does what the other was built for, and has tips. The other one is not to be used any more. */
    static LineReader of(LineReaderImpl built, PromptCompleter completer, PromptTip tip) {
        var reader = new TippedReader(built, tip);
        reader.setHistory(built.getHistory());
        reader.setParser(built.getParser());
        reader.setExpander(built.getExpander());
        reader.setHighlighter(built.getHighlighter());
        reader.setCompleter(completer);
        reader.setCompletionMatcher(completer);
        for (Option option : Option.values()) {
            reader.option(option, built.isSet(option));
        }
        return reader;
    }

    @Override
    public AttributedString getDisplayedBufferWithPrompts(List<AttributedString> secondaryPrompts) {
        AttributedString line = super.getDisplayedBufferWithPrompts(secondaryPrompts);
        boolean typing = reading && state == State.NORMAL && post == null && searchTerm == null;
        if (!typing) {
            return line;
        }
        AttributedString below = tip.of(buf.toString(), buf.cursor(), size.getRows(), size.getColumns());
        return below.length() == 0 ? line
                : new AttributedStringBuilder().append(line).append("\n").append(below).toAttributedString();
    }
}
