package volsh.command.typing;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Marks the keywords, strings, numbers and comments of Groovy, lightly: by their looks, also when they are not
 * finished.
 */
final class CodeColours {
    private static final String KEYWORDS = "abstract|as|assert|boolean|break|byte|case|catch|char|class|continue"
            + "|def|default|do" + "|double|else|enum|extends|false|final|finally|float|for|if|implements|import|in"
            + "|instanceof|int|interface|long|new|null" + "|private|protected|public|record|return|short|static|super"
            + "|switch|this|throw|throws|trait|true|try|var|void|while";
    private static final Pattern SIGN = Pattern.compile("""
            (?<comment>//[^\\n]*|/\\*.*?(?:\\*/|\\z))\
            |(?<string>'''.*?(?:'''|\\z)|\""".*?(?:\"""|\\z)|'(?:\\\\.|[^'\\\\\\n])*'?|"(?:\\\\.|[^"\\\\\\n])*"?)\
            |(?<![\\w.])(?<keyword>(?:%s))\\b(?!\\s*:)\
            |(?<![\\w])(?<number>\\d[\\w]*(?:\\.\\d\\w*)?)\
            """.formatted(KEYWORDS), Pattern.DOTALL);

    private CodeColours() {}

    static List<Mark> of(String code) {
        var marks = new ArrayList<Mark>();
        Matcher signs = SIGN.matcher(code);
        while (signs.find()) {
            marks.add(new Mark(signs.start(), signs.end(), kind(signs)));
        }
        return marks;
    }

    private static Mark.Kind kind(Matcher sign) {
        if (sign.group("comment") != null) {
            return Mark.Kind.COMMENT;
        }
        if (sign.group("string") != null) {
            return Mark.Kind.STRING;
        }
        return sign.group("keyword") != null ? Mark.Kind.KEYWORD : Mark.Kind.NUMBER;
    }
}
