package volsh.command.checkpoint;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.checkpoint.Checkpoints;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.mount.Mounts;
import volsh.volume.Volumes;

/** Selects saves: of a volume, of a mount, or all of this home. */
final class SavePlace {
    @Parameters(arity = "0..1", paramLabel = "VOLUME|DIRECTORY",
            description = "Volume, or a mount point: then only what this mount saves (default: all mounts and jobs of"
                    + " this home).")
    private @Nullable String place;

    @Option(names = "--run", paramLabel = "RUN", description = "Select only this run.")
    private @Nullable String run;

    @Option(names = "--step", paramLabel = "N", description = "Select only this step.")
    private @Nullable Long step;

    @Nullable String run() {
        return run;
    }

    @Nullable Long step() {
        return step;
    }

    /** The arguments, for hints. */
    String words() {
        return (place == null ? "" : " " + place) + (run == null ? "" : " --run " + run)
                + (step == null ? "" : " --step " + step);
    }

    /** The volume; empty if a mount or nothing is named. A word with a slash is a directory. */
    Optional<String> volume(Session session) throws Exception {
        if (run != null) {
            Checkpoints.checkRun(run);
        } else if (step != null) {
            throw CommandFailure.usage("--step needs --run");
        }
        if (place == null || isMount(session, place)) {
            return Optional.empty();
        }
        session.service(Volumes.class).find(place);
        return Optional.of(place);
    }

    private static boolean isMount(Session session, String place) throws Exception {
        return place.contains("/")
                || !session.service(Volumes.class).names().contains(place) && mounts(session)
                .contains(directory(place));
    }

    private static Path directory(String place) {
        return Path.of(place).toAbsolutePath().normalize();
    }

    private static List<Path> mounts(Session session) throws Exception {
        return session.service(Mounts.class).list().stream().map(mount -> mount.record().mountPoint()).toList();
    }

    /** The named mount, if any. */
    Optional<Path> mount(Session session) throws Exception {
        if (place == null) {
            return Optional.empty();
        }
        var directory = directory(place);
        if (!mounts(session).contains(directory)) {
            throw CommandFailure.of(ExitCode.NOT_FOUND, "CKP-0004", "nothing is mounted on " + directory)
                    .hint("volsh mounts list");
        }
        return Optional.of(directory);
    }
}
