package volsh.command;

import org.jspecify.annotations.Nullable;

/**
 * One command. The class carries picocli's {@code @Command}, {@code @Option} and {@code @Parameters} and our
 * {@link Examples}; an object serves one call.
 *
 * @param <T> the type of its result: a record, a collection of records, {@link volsh.command.render.Rows},
 *            {@link volsh.command.render.Text}, an {@link Outcome} of one of these, or {@link Void} for nothing
 */
public interface Action<T> {
    /**
     * Runs the command. Returns data or writes it to {@link Session#out()}; reports changes with {@link Session#say}.
     */
    @Nullable T run(Session session) throws Exception;
}
