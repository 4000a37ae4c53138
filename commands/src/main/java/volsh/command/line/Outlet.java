package volsh.command.line;

/** Where jobs speak: they hand over whole lines, so that lines of two of them never mix. Thread-safe. */
public interface Outlet {
    /** Whole lines of data, or of messages when {@code error}. */
    void write(byte[] lines, boolean error);

    /** Tells the person how a job does. */
    void tell(String message);
}
