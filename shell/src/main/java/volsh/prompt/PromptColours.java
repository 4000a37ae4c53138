package volsh.prompt;

import java.util.function.Predicate;
import org.jline.reader.Highlighter;
import org.jline.reader.LineReader;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;
import volsh.command.line.LineKind;
import volsh.command.line.LineRule;

/** Shows while typing what a line is: a command's name in bold, one that does not exist in red, code as it is. */
final class PromptColours implements Highlighter {
    private final LineRule rule;
    private final Predicate<String> beginning;
    private final boolean colour;

    /** {@code beginning}: whether the name of a command begins so, and may just not be typed to its end. */
    PromptColours(LineRule rule, Predicate<String> beginning, boolean colour) {
        this.rule = rule;
        this.beginning = beginning;
        this.colour = colour;
    }

    @Override
    public AttributedString highlight(LineReader reader, String buffer) {
        AttributedStyle style = switch (rule.classify(buffer)) {
            case LineKind.Command(String _) -> AttributedStyle.BOLD;
            case LineKind.Unknown(String word) when word.equals(buffer.strip()) && beginning.test(word) -> AttributedStyle.DEFAULT;
            case LineKind.Unknown(String _) -> AttributedStyle.DEFAULT.foreground(AttributedStyle.RED);
            case LineKind.SystemLine(String _) -> AttributedStyle.DEFAULT.foreground(AttributedStyle.YELLOW);
            case LineKind.Nothing(), LineKind.Code(String _) -> AttributedStyle.DEFAULT;
        };
        int start = buffer.length() - buffer.stripLeading().length();
        int end = buffer.indexOf(' ', start) < 0 ? buffer.length() : buffer.indexOf(' ', start);
        return new AttributedStringBuilder().append(buffer.substring(0, start))
                .append(buffer.substring(start, end), colour ? style : AttributedStyle.DEFAULT)
                .append(buffer.substring(end)).toAttributedString();
    }
}
