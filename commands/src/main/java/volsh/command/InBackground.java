package volsh.command;

/**
 * A command with an option {@code --background}, which runs it as a job. The command is planned here (so that one that
 * cannot succeed fails at once), confirmed, and started as a job with the same words except this one; the result is the
 * job.
 */
public interface InBackground {
    /** The name of the option. */
    String OPTION = "--background";

    /** Whether {@link #OPTION} was given. */
    boolean background();

    /** The title of the job in lists. */
    String title();
}
