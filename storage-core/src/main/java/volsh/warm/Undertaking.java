package volsh.warm;

/** A task that runs in a thread of its own and can be cancelled. */
public interface Undertaking {
    /** Returns when it is over. Called once. */
    void run();

    /** Asks it to stop. */
    void cancel();

    boolean isOver();

    /** Its name and progress, in a few words. */
    String about();
}
