package volsh.imported;

/** Watches an import, and may stop it. */
public interface ImportListener {
    /** This many more objects are done. */
    default void advanced(long objects) {}

    /** An object is no file of the volume, or its file is not what the object is now. */
    default void problem(String key, String why) {}

    /** Called often. What was done stays, and the next run goes on. */
    default boolean stopped() {
        return false;
    }
}
