package volsh.command.line;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import volsh.command.Cancellation;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.run.Caller;

/**
 * The language behind the lines: entries and whole scripts, expressions and blocks in command lines. What an entry
 * declares stays for the next ones; each text is compiled and run exactly once.
 */
public interface Language extends AutoCloseable {
    /** Runs an entry of a session: its variables, methods, classes and imports stay. */
    @Nullable Object entry(Source source) throws Exception;

    /** Runs a whole file by itself, with these arguments. */
    @Nullable Object script(Source source, List<String> arguments) throws Exception;

    /** Looks for mistakes in code without running it. {@code known}: names that earlier code declared. */
    Checked check(Source source, Set<String> known);

    /** What a check came to: the problems, and the names that the code declares. */
    record Checked(List<Finding> findings, Set<String> names) {}

    /** A problem in a line of the text. */
    record Finding(int line, String message, List<String> hints) {}

    /** A block {@code { it.size > 1.GiB }} of a pipe, as a function of the row. */
    Function<@Nullable Object, @Nullable Object> block(Source source) throws Exception;

    /** Variables and methods that entries declared, and the words of the language that can begin an entry. */
    Set<String> names();

    /** Keeps a value under a name, such as the last result. */
    void set(String name, @Nullable Object value);

    /** The variables that entries declared, by name. */
    Map<String, @Nullable Object> variables();

    /** Drops a variable. @return whether there was one */
    boolean forget(String name);

    /**
     * Runs deferred blocks, the last first, and throws what fails in them. If the program has {@code failed} already,
     * it only warns.
     */
    void end(boolean failed);

    @Override
    default void close() {
        end(false);
    }

    /** A piece of program and where the user wrote it. */
    record Source(String name, String text, int firstLine) {
        public Source(String name, String text) {
            this(name, text, 1);
        }

        /** A whole file. */
        public static Source read(Path file) throws IOException {
            try {
                return new Source(file.getFileName().toString(), Files.readString(file));
            } catch (CharacterCodingException binary) {
                throw CommandFailure.usage("'" + file + "' is not UTF-8 text").causedBy(binary);
            }
        }
    }

    /** A service of the application. */
    interface Maker {
        /**
         * A fresh session. Code calls commands through {@code caller} and stops at the wish of {@code cancellation}.
         */
        Language start(Caller caller, Lines lines, Session session, Cancellation cancellation);
    }
}
