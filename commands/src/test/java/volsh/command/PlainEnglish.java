package volsh.command;

import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Finds words in texts for users that are not plain modern English, and descriptions that are no sentences. */
public final class PlainEnglish {
    private static final Pattern DIALECT =
            Pattern.compile("(?i)\\b(?:whoever|whosoever|nobody|somebody|everybody|anybody|so many"
            + "|so much|for so long|is told|are told|what there is|by-pass(?:ed|es)?|anew|(?<!and )metadata are)\\b");
    /** An option is described by a verb ("Limit …") and a parameter by a noun ("Volume to …"), not by these. */
    private static final List<String> EMPTY_SUBJECTS =
            List.of("It", "What", "Who", "So", "This", "That", "There", "One", "Then", "Here");

    private PlainEnglish() {}

    /** The words that are dialect, as they occur. */
    public static List<String> dialect(String text) {
        return DIALECT.matcher(text).results().map(MatchResult::group).toList();
    }

    /** Whether the text is a description: begins with a capital verb or noun, and ends with a full stop. */
    public static boolean isDescription(String text) {
        var first = text.split("[\\s:,;.]", 2)[0];
        return !text.isEmpty() && Character.isUpperCase(text.charAt(0)) && text.endsWith(".")
                && !EMPTY_SUBJECTS.contains(first);
    }
}
