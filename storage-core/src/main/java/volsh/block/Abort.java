package volsh.block;

/** Ends a call that runs in another thread. Thread-safe. */
public final class Abort {
    private Runnable means = () -> {};
    private boolean called;

    /** From now on this ends the call; at once, if that was asked for already. */
    public void by(Runnable now) {
        synchronized (this) {
            means = now;
            if (!called) {
                return;
            }
        }
        now.run();
    }

    /** Has the call end soon. Does nothing to one that has ended. */
    public void call() {
        Runnable now;
        synchronized (this) {
            called = true;
            now = means;
        }
        now.run();
    }
}
