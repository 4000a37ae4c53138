package volsh.catalog;

/** What a volume is opened for. */
public enum Access {
    /** Names and attributes only: nothing is registered, nothing is written. */
    NAMES,
    /** Reading files: registered as a session, so that nothing being read is reclaimed; writes are refused. */
    READ,
    /** Everything. */
    WRITE,
    /** Everything, and no other session may open it for writing meanwhile. */
    WRITE_ALONE;

    public boolean writes() {
        return this == WRITE || this == WRITE_ALONE;
    }
}
