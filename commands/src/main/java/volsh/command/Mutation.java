package volsh.command;

/** A command that changes something. It can say beforehand what it would change, and whether it must be confirmed. */
public interface Mutation<T> extends Action<T> {
    /**
     * What {@link #run} would change now, without changing anything. Fails as {@code run} would when it cannot succeed.
     */
    Plan plan(Session session) throws Exception;

    /** What the user must confirm first. */
    default Guard guard(Session session) throws Exception {
        return Guard.NONE;
    }
}
