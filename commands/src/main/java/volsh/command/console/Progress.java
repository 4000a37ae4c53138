package volsh.command.console;

/**
 * How far a command has come. Any number of threads add; closing it ends the display. When nothing is shown, adding
 * does nothing at all.
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

    /** Sets the total once it is known. */
    default void total(long amount) {}

    @Override
    void close();
}
