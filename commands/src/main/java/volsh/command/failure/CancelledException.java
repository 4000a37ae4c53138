package volsh.command.failure;

import java.util.List;

/** The user requested a stop. Commands clean up and let it pass. */
public final class CancelledException extends RuntimeException {
    private final transient List<String> where;

    public CancelledException() {
        this(List.of());
    }

    /** {@code where}: the lines of a script that were running, the innermost first. */
    public CancelledException(List<String> where) {
        super("cancelled");
        this.where = List.copyOf(where);
    }

    /** The lines of a script that were running; empty if it was no script. */
    public List<String> where() {
        return where;
    }
}
