package volsh.command.failure;

/** The user asked to stop. Commands let it pass, cleaning up on the way. */
public final class CancelledException extends RuntimeException {
    public CancelledException() {
        super("cancelled");
    }
}
