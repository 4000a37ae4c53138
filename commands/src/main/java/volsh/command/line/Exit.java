package volsh.command.line;

/** A script's wish to end with a status. An {@link Error}, so that code which catches exceptions does not catch it. */
public final class Exit extends Error {
    private final int status;

    public Exit(int status) {
        super("exit " + status, null, false, false);
        this.status = status & 0xff;
    }

    public int status() {
        return status;
    }
}
