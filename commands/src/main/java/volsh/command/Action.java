package volsh.command;

/**
 * One command. The class carries picocli's {@code @Command}, {@code @Option} and {@code @Parameters} and our
 * {@link Examples}; an object serves one call.
 *
 * @param <T> what it answers: a record, a collection of records, {@link volsh.command.render.Rows},
 *            {@link volsh.command.render.Text}, an {@link Outcome} of one of these, or {@link Void} for nothing
 */
public interface Action<T> {
    /** Does the work. Data is returned or written to {@link Session#out()}; {@link Session#say} tells what changed. */
    T run(Session session) throws Exception;
}
