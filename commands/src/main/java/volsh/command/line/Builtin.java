package volsh.command.line;

import java.util.List;
import org.jspecify.annotations.Nullable;
import volsh.command.Session;

/** A word of command lines beside the commands of the tree, such as {@code jobs}. */
public interface Builtin {
    /**
     * Does it.
     *
     * @param words the words after the builtin
     * @return a value to print or to pipe, an {@link volsh.command.Outcome}, or null
     */
    @Nullable Object run(List<String> words, Session session) throws Exception;
}
