package volsh.command.console;

/**
 * How far a command has come. Any number of threads add; closing it ends the display. When nothing is shown, adding
 * does nothing at all.
 */
public interface Progress extends AutoCloseable {
    /** A progress that nobody sees. */
    Progress HIDDEN = new Progress() {
        @Override
        public void add(long amount) {}

        @Override
        public void close() {}
    };

    /** So many bytes or items more are done. */
    void add(long amount);

    /** It is known now how much there is to do. */
    default void total(long amount) {}

    @Override
    void close();
}
