package volsh.command;

/**
 * A command that can go on in a process of its own: it has an option {@code --background}, and says whether that was given. Then it is not run here. It is
 * planned (so what cannot succeed fails at once), confirmed, and started as a job with the same words but this one; the answer is the job.
 */
public interface InBackground {
    /** The name of the option. */
    String OPTION = "--background";

    /** Whether {@link #OPTION} was given. */
    boolean background();

    /** The title of the job in lists. */
    String title();
}
