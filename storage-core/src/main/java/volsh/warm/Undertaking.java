package volsh.warm;

/** Something that is done in a thread of its own, and can be stopped. */
public interface Undertaking {
    /** Returns when it is over. Called once. */
    void run();

    /** Asks it to stop. */
    void cancel();

    boolean isOver();

    /** What it does and how far it is, in a few words. */
    String about();
}
