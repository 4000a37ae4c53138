package volsh.command.failure;

import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * How a hint is written where it will be pasted. Some hints are commands of the system, and a few of these are called
 * as our own are: {@code mkdir -p out} makes a local directory in the shell of the system, and would make one in a
 * volume at our prompt. There such a hint begins with {@code !}.
 */
public interface PastedHint extends UnaryOperator<String> {
    /** The programs of the system that hints begin with. */
    Set<String> SYSTEM = Set.of("chmod", "chown", "cp", "df", "findmnt", "ls", "mkdir", "mv", "ps", "rm");

    /** At our prompt. */
    static String atPrompt(String hint) {
        return SYSTEM.contains(hint.split(" ", 2)[0]) ? "!" + hint : hint;
    }
}
