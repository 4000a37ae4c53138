package volsh.job;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * A command that runs, or ran, in a process of its own.
 *
 * @param id      its name: {@code j7}
 * @param title   a description for people
 * @param command the arguments after {@code volsh}
 * @param exit    its exit code; empty while it runs, and forever if it is lost
 * @param ended   when it ended
 * @param log     its output
 */
public record Job(String id, String title, List<String> command, Path directory, Instant started, JobState state,
        OptionalInt exit, Optional<Instant> ended, OptionalLong pid, String host, Path log) {}
