package volsh.command;

/** A command that answers many rows and changes nothing, so that some of them can be chosen with {@code --where}. */
public interface Listing extends Tabular {
    /** Whether the rows have a column {@code labels}, so that they can be chosen by label with {@code -l}. */
    default boolean labelled() {
        return false;
    }
}
