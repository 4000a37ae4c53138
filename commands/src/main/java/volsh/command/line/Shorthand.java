package volsh.command.line;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Short forms of {@code run}: {@code volsh FILE}, {@code volsh -e CODE}, {@code volsh -c LINE}. */
public final class Shorthand {
    /** The options of every command that take a word; a test holds them to the options themselves. */
    static final Set<String> TAKE_A_WORD = Set.of("-o", "--output", "--columns", "--sort", "--confirm", "--color",
            "--progress");
    /** At the prompt: without the person's start-up files. */
    public static final String NO_RC = "--no-rc";
    private static final Set<String> INTERACTIVE = Set.of("-i", "--interactive");
    private static final Set<String> OF_RUN = Set.of("-e", "--expression", "-c", "--command", "-i", "--interactive");
    private static final Set<String> ANSWERED_AT_ONCE = Set.of("-h", "--help", "-V", "--version");

    private Shorthand() {}

    /**
     * The words with {@code run} put in where it was left out. A command is never taken for a file: none has a slash or
     * dot.
     */
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

    /** The same without a terminal: without a command there must be lines on standard input. */
    public static List<String> expand(List<String> words, boolean piped) {
        if (!piped || !isPrompt(words)) {
            return expand(words);
        }
        var longer = new ArrayList<>(optionsOfPrompt(words));
        longer.addAll(List.of("run", "-"));
        return longer;
    }

    /**
     * Whether the words name no command, only options: {@code volsh}, {@code volsh -q}, {@code volsh --no-rc -o json}.
     */
    public static boolean isPrompt(List<String> words) {
        for (int at = 0; at < words.size(); at += TAKE_A_WORD.contains(words.get(at)) ? 2 : 1) {
            String word = words.get(at);
            boolean option = word.startsWith("-") && word.length() > 1 && !word.equals("--");
            boolean ofRun = isOfRun(word) && !INTERACTIVE.contains(word);
            if (!option || ofRun || ANSWERED_AT_ONCE.contains(word)) {
                return false;
            }
        }
        return true;
    }

    /** Those of them that are options of every command. */
    public static List<String> optionsOfPrompt(List<String> words) {
        return words.stream().filter(word -> !word.equals(NO_RC) && !INTERACTIVE.contains(word)).toList();
    }

    private static boolean isOfRun(String word) {
        return OF_RUN.contains(word) || word.startsWith("--expression=") || word.startsWith("--command=");
    }

    private static boolean isFile(String word) {
        return word.contains("/") || word.endsWith(".groovy") || word.endsWith(".volsh")
                || word.endsWith(".transcript");
    }
}
