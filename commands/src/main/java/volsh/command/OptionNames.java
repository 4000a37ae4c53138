package volsh.command;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The names of an option that we show. Names with capitals, such as {@code --blockSize}, and words after one dash, such
 * as {@code -name}, are accepted for compatibility with other programs, but not shown.
 */
public final class OptionNames {
    private OptionNames() {}

    public static List<String> shown(OptionSpec option) {
        var shown = new ArrayList<String>();
        for (String name : option.names()) {
            boolean word = name.startsWith("--");
            if (word ? name.equals(name.toLowerCase(java.util.Locale.ROOT)) : name.length() == 2) {
                shown.add(name);
            }
        }
        return shown;
    }

    /** The name for messages: the first long one. */
    public static String main(OptionSpec option) {
        List<String> shown = shown(option);
        for (String name : shown) {
            if (name.startsWith("--")) {
                return name;
            }
        }
        return shown.isEmpty() ? option.longestName() : shown.getFirst();
    }
}
