package volsh.command.checkpoint;

import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import volsh.catalog.VolumePath;
import volsh.checkpoint.Checkpoint;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.mount.Mounts;

@Command(name = "restore", description = {"Copy a checkpoint to a local directory, or clone it within its volume.",
        "Copies to a temporary directory beside the target, compares every file with what was saved while copying,"
                + " and then makes the target appear in one step. Without --step, restores the last saved checkpoint"
                + " that is valid. A directory that is not empty is refused unless --force is given, which replaces"
                + " it.",
        "After an interruption, the same command continues. With --clone nothing is copied: a directory of the"
                + " volume, named as in the volume or on a mount of it, shares all blocks with the checkpoint, and"
                + " may be changed."})
@Examples({"volsh checkpoint restore training-data --run r1 --to resume",
        "volsh checkpoint restore training-data --run r1 --step 1000 --to resume --force",
        "volsh checkpoint restore training-data --run r1 --clone /resume"})
final class CheckpointRestore implements Mutation<Rows<Checkpoint>> {
    @Mixin
    private Which which;

    @Option(names = "--to", paramLabel = "DIRECTORY", description = "Restore to this local directory.")
    private @Nullable Path target;

    @Option(names = "--clone", paramLabel = "PATH",
            description = "Clone to this directory of the volume, such as /resume, or /mnt/ckpts/resume if mounted"
                    + " there; instead of --to.")
    private @Nullable String clone;

    @Option(names = "--rank", paramLabel = "N", description = "Restore only the shard of this rank.")
    private @Nullable Integer rank;

    @Option(names = "--force", description = "Replace the contents of the directory.")
    private boolean force;

    @Mixin
    private Parallel parallel;

    @Override
    public Columns<?> columns() {
        return CheckpointViews.COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        try (var open = OpenCheckpoints.reading(session, which.volume(), "restore")) {
            return Plan.of("restore", "%s:%s".formatted(which.volume(), open.find(which.run(), which.step()).path()),
                    "to " + place(session));
        }
    }

    @Override
    public Rows<Checkpoint> run(Session session) throws Exception {
        parallel.count();
        String place = place(session);
        var shard = rank == null ? OptionalInt.empty() : OptionalInt.of(rank);
        try (var open = clone == null ? OpenCheckpoints.reading(session, which.volume(), "restore", parallel)
                : OpenCheckpoints.writing(session, which.volume(), "restore", parallel)) {
            var found = open.find(which.run(), which.step());
            if (target != null) {
                if (onMount(session, target).isPresent()) {
                    session.say("%s is on a mount of '%s': --clone %s restores without copying data"
                            .formatted(target, which.volume(), target));
                }
                open.all().restore(found, shard, target, force);
            } else if (clone != null) {
                open.all().restoreClone(found, shard, inVolume(session, clone), force);
            }
            session.say("restored %s:%s to %s".formatted(which.volume(), found.path(), place));
            return Rows.one(CheckpointViews.COLUMNS, found).told();
        }
    }

    private String place(Session session) throws Exception {
        if ((target == null) == (clone == null)) {
            throw CommandFailure.usage("missing target: give --to DIRECTORY or --clone PATH");
        }
        return clone == null ? String.valueOf(target) : "%s:%s".formatted(which.volume(), inVolume(session, clone));
    }

    private String inVolume(Session session, String clone) throws Exception {
        return onMount(session, Path.of(clone)).orElse(clone);
    }

    /** The path within the volume of a path on a mount. */
    private Optional<String> onMount(Session session, Path path) throws Exception {
        return session.service(Mounts.class).volumePath(path.toAbsolutePath().normalize())
                .filter(found -> found.volume().equals(which.volume()) && found.moment().isEmpty())
                .map(VolumePath::path);
    }
}
