package volsh.command.line;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Ways to say {@code run} without saying it: {@code volsh FILE}, {@code volsh -e CODE}, {@code volsh -c LINE}. */
public final class Shorthand {
    /** The options of every command that take a word; a test holds them to the options themselves. */
    static final Set<String> TAKE_A_WORD = Set.of("-o", "--output", "--columns", "--sort", "--confirm", "--color",
            "--progress");
    private static final Set<String> OF_RUN = Set.of("-e", "--expression", "-c", "--command");

    private Shorthand() {}

    /** The words with {@code run} put in where it was left out. A command is never taken for a file: none has a slash or dot. */
    public static List<String> expand(List<String> words) {
        int at = 0;
        while (at < words.size() && words.get(at).startsWith("-") && !isOfRun(words.get(at))) {
            at += TAKE_A_WORD.contains(words.get(at)) ? 2 : 1;
        }
        if (at >= words.size() || !isOfRun(words.get(at)) && !isFile(words.get(at))) {
            return words;
        }
        var longer = new ArrayList<>(words);
        longer.add(at, "run");
        return longer;
    }

    private static boolean isOfRun(String word) {
        return OF_RUN.contains(word) || word.startsWith("--expression=") || word.startsWith("--command=");
    }

    private static boolean isFile(String word) {
        return word.contains("/") || word.endsWith(".groovy") || word.endsWith(".volsh");
    }
}
