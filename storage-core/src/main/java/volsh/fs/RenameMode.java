package volsh.fs;

/** What rename does when the new name is taken. */
public enum RenameMode {
    REPLACE,
    NO_REPLACE,
    EXCHANGE
}
