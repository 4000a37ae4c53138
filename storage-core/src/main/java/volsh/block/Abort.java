package volsh.block;

/** Ends a call that runs in another thread. Thread-safe. */
public final class Abort {
    private Runnable means = () -> {};
    private boolean called;

    /** Sets how to end the call; ends it at once if that was already requested. */
    public void by(Runnable now) {
        synchronized (this) {
            means = now;
            if (!called) {
                return;
            }
        }
        now.run();
    }

    /** Ends the call soon. Does nothing to a call that has ended. */
    public void call() {
        Runnable now;
        synchronized (this) {
            called = true;
            now = means;
        }
        now.run();
    }
}
