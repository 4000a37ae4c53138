package volsh.command;

import volsh.command.render.Columns;

/**
 * A command that changes something. It can tell beforehand what it would change, and whether that needs a confirmation.
 */
public interface Mutation<T> extends Action<T>, Tabular {
    /**
     * What the answer will be made of: a column that {@code --columns}, {@code --sort} or {@code -o value:} names and
     * that is not among them is refused before anything changes.
     */
    @Override
    Columns<?> columns();

    /**
     * What {@link #run} would change now, without changing anything. Fails as {@code run} would when it cannot succeed.
     */
    Plan plan(Session session) throws Exception;

    /** The confirmation that it needs. */
    default Guard guard(Session session) throws Exception {
        return Guard.NONE;
    }
}
