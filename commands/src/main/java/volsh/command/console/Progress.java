package volsh.command.console;

/**
 * The progress of a command. Any number of threads add to it; closing it ends the display. Adding does nothing if
 * nothing is shown.
 */
public interface Progress extends AutoCloseable {
    /** A progress that shows nothing. */
    Progress HIDDEN = new Progress() {
        @Override
        public void add(long amount) {}

        @Override
        public void close() {}
    };

    /** Adds this many bytes or items. */
    void add(long amount);

    /** Adds this many files, where bytes are counted, too. */
    default void addFiles(long count) {}

    /** Sets the total number of files once it is known. */
    default void totalFiles(long count) {}

    /** Sets the total once it is known. */
    default void total(long amount) {}

    @Override
    void close();
}
