package volsh.command.file;

import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import volsh.command.failure.CommandFailure;

/**
 * A pattern as shells have them: {@code *} any text, {@code ?} one character, {@code [a-z]} and {@code [!a-z]} one of a
 * set, {@code \} takes the next as it is.
 */
public final class Glob {
    private final Pattern pattern;

    private Glob(Pattern pattern) {
        this.pattern = pattern;
    }

    public static Glob of(String glob, boolean anyCase) {
        try {
            int flags = Pattern.DOTALL | (anyCase ? Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE : 0);
            return new Glob(Pattern.compile(regex(glob), flags));
        } catch (PatternSyntaxException wrong) {
            throw CommandFailure.usage("'" + glob + "' is not a pattern (try '*.jpg')");
        }
    }

    public boolean matches(String text) {
        return pattern.matcher(text).matches();
    }

    private static String regex(String glob) {
        var regex = new StringBuilder();
        for (int i = 0; i < glob.length(); i++) {
            char c = glob.charAt(i);
            int end = c == '[' ? setEnd(glob, i) : -1;
            if (end > 0) {
                regex.append(set(glob.substring(i + 1, end)));
                i = end;
            } else {
                switch (c) {
                    case '*' -> regex.append(".*");
                    case '?' -> regex.append('.');
                    case '\\' -> regex.append(Pattern.quote(++i < glob.length() ? glob.substring(i, i + 1) : "\\"));
                    default -> regex.append(Pattern.quote(String.valueOf(c)));
                }
            }
        }
        return regex.toString();
    }

    /** The end of the set that begins here; -1 if the bracket begins no set. */
    private static int setEnd(String glob, int start) {
        int first = start + 1 < glob.length() && glob.charAt(start + 1) == '!' ? start + 2 : start + 1;
        return glob.indexOf(']', first + 1);
    }

    private static String set(String set) {
        boolean not = set.startsWith("!");
        var members = (not ? set.substring(1) : set).replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
                .replace("&", "\\&").replace("^", "\\^");
        return "[" + (not ? "^" : "") + members + "]";
    }
}
