package volsh.fs;

/** What rename does if the new name exists. */
public enum RenameMode {
    REPLACE,
    NO_REPLACE,
    EXCHANGE
}
