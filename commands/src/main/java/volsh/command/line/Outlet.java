package volsh.command.line;

/** The output of jobs. They hand over whole lines, so that lines of two jobs never mix. Thread-safe. */
public interface Outlet {
    /** Whole lines of data, or of messages when {@code error}. */
    void write(byte[] lines, boolean error);

    /** Reports the state of a job to the user. */
    void tell(String message);
}
