package volsh.engine.sqlite;

/** The purpose of a transaction, which decides how much of a full disk it may use. */
enum Purpose {
    /** May not make the database grow. */
    WRITE,
    /** May use what is kept free and part of the reserve: removing may keep history, and so take space permanently. */
    REMOVE,
    /** May use everything. */
    FREE;

    boolean mayUseReserve() {
        return this != WRITE;
    }
}
