package volsh.command.line;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import volsh.command.pipe.Pipes;

/** A bar before the name of a pipe command, which is a pipe also without blanks around it: {@code volume list|count}. */
public final class PipeSign {
    private static final Pattern SIGN = Pattern.compile(
            "\\|\\s*(?:" + String.join("|", Pipes.VERBS.stream().sorted().toList()) + ")(?=[\\s{|;]|\\z)");

    private PipeSign() {}

    /** Whether the character at this position is such a bar. */
    public static boolean at(String line, int position) {
        if (line.charAt(position) != '|' || position > 0 && line.charAt(position - 1) == '|') {
            return false;
        }
        Matcher sign = SIGN.matcher(line).region(position, line.length());
        return sign.lookingAt();
    }

    /** Whether a block may follow this word at once: <code>where{ used > 1.GiB }</code>. */
    public static boolean takesBlock(CharSequence word) {
        return Pipes.VERBS.contains(word.toString());
    }
}
