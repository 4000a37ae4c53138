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
 * @param id      what people call it by: {@code j7}
 * @param title   what it does, in words
 * @param command the words behind {@code volsh}
 * @param exit    the number it ended with; empty while it runs, and forever if it is lost
 * @param ended   when it ended
 * @param log     what it printed
 */
public record Job(String id, String title, List<String> command, Path directory, Instant started, JobState state, OptionalInt exit, Optional<Instant> ended,
                  OptionalLong pid, String host, Path log) {}
