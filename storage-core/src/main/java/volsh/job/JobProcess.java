package volsh.job;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * The process of a job, from the inside. Its environment says which job it is; the first process that claims the job is
 * it, and its own children, which inherit the environment, are not.
 */
public final class JobProcess {
    /** The variable with the directory of the job. */
    public static final String VARIABLE = "VOLSH_JOB";
    static final String PROCESS = "process.json";
    static final String END = "end.json";

    private final Path place;

    private JobProcess(Path place) {
        this.place = place;
    }

    /** The job of this process; empty if it is none. */
    public static Optional<JobProcess> claim(Map<String, String> environment) throws IOException {
        String given = environment.get(VARIABLE);
        if (given == null || given.isEmpty()) {
            return Optional.empty();
        }
        Path place = Path.of(given);
        try {
            PrivateFiles.putFirst(place.resolve(PROCESS), ProcessIdentity.ofThisProcess().values());
            return Optional.of(new JobProcess(place));
        } catch (FileAlreadyExistsException descendant) {
            return Optional.empty();
        } catch (NoSuchFileException forgotten) {
            return Optional.empty();
        }
    }

    /** Records the exit code. */
    public void end(int status, boolean cancelled, Instant when) throws IOException {
        try {
            PrivateFiles.put(place.resolve(END),
                    Map.of("exit", (long) status, "cancelled", cancelled && status != 0, "ended", when));
        } catch (NoSuchFileException forgotten) {
            // the record is gone, so there is no reader
        }
    }
}
