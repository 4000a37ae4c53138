package volsh.command;

import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import volsh.catalog.VolumePath;

/**
 * How a parameter understands a word without a volume in a session that has a working directory. Without one, no word
 * is relative.
 */
public enum RelativeWord {
    /** As everywhere: a local file, a name, a number. */
    NEVER,
    /** Only {@code .}, {@code ..} and what begins with {@code ./} or {@code ../}: another word names a volume. */
    DOTTED,
    /** Every word, unless it begins with {@code /} or {@code ~}: those are local. */
    UNLESS_LOCAL,
    /** Every word; with {@code /} in front it begins at the root of the volume. */
    ALWAYS;

    private static final String PATH = "VOL:/PATH";
    private static final String VOLUME_AND_PATH = "VOLUME[:PATH]";

    /** How the label of a parameter wants it. */
    public static RelativeWord of(ArgSpec argument) {
        if (argument.paramLabel().equals(VOLUME_AND_PATH)) {
            return DOTTED;
        }
        List<String> kinds = Arrays.asList(argument.paramLabel().split("\\|"));
        if (!kinds.contains(PATH)) {
            return NEVER;
        }
        return kinds.contains("VOLUME") ? DOTTED : kinds.size() > 1 ? UNLESS_LOCAL : ALWAYS;
    }

    /** The same for the argument at {@code index} of {@code count} in a line. */
    public static RelativeWord of(CommandSpec command, ArgSpec argument, int index, int count,
            Predicate<String> given) {
        RelativeWord labelled = of(argument);
        boolean itself = command.userObject() instanceof RelativePaths && argument instanceof PositionalParamSpec;
        if (labelled == NEVER || !itself) {
            return labelled;
        }
        return ((RelativePaths) command.userObject()).inVolume(index, count, given) ? ALWAYS : NEVER;
    }

    /** Whether this word, which may not be typed to its end, is relative to the working directory. */
    public boolean takes(String word) {
        return isRelative(word) && !word.equals("-") && switch (this) {
            case NEVER -> false;
            case DOTTED -> word.equals(".") || word.equals("..") || word.startsWith("./") || word.startsWith("../");
            case UNLESS_LOCAL -> !word.startsWith("/") && !word.startsWith("~");
            case ALWAYS -> true;
        };
    }

    /** Whether the word names no volume; {@code VOLUME@SNAPSHOT} does, as {@code VOLUME:/path}. */
    public static boolean isRelative(String word) {
        boolean whole = word.indexOf('@') > 0 && word.indexOf('/') < 0;
        return !VolumePath.isOne(word) && !whole;
    }
}
