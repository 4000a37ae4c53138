package volsh.command;

import java.util.function.Predicate;

/**
 * A command whose paths depend on the working directory of a session in a way that its labels do not tell. The labels
 * tell the rest; see {@link RelativeWord}.
 */
public interface RelativePaths {
    /**
     * Whether the argument at {@code index} of {@code count} can only be in a volume.
     *
     * @param given whether the line has the option of this long name
     */
    default boolean inVolume(int index, int count, Predicate<String> given) {
        return true;
    }

    /** Whether {@code .} and {@code ..} may be named. */
    default boolean takesDots() {
        return true;
    }

    /** Whether the working directory is meant when no path is given. */
    default boolean defaultsToDirectory() {
        return false;
    }
}
