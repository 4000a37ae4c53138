package volsh.command.failure;

/** The user requested a stop. Commands clean up and let it pass. */
public final class CancelledException extends RuntimeException {
    public CancelledException() {
        super("cancelled");
    }
}
