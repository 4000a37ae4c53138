package volsh.engine.sqlite;

/** What a transaction is for, which decides what it may have of a full disk. */
enum Purpose {
    /** Nothing that makes the database grow. */
    WRITE,
    /** What is kept and a part of the reserve: removing may keep history, and so take space for good. */
    REMOVE,
    /** Everything. */
    FREE;

    boolean mayUseReserve() {
        return this != WRITE;
    }
}
