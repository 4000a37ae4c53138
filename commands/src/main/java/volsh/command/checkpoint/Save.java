package volsh.command.checkpoint;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import volsh.command.render.Columns;
import volsh.mount.SaverStatus;
import volsh.volume.Durability;

/**
 * A save in progress or the last save, as {@code checkpoint status} shows it. Unknown values are null.
 *
 * @param level the durability it has reached
 * @param by    the process, mount or host that saves it
 * @param here  whether that is a process of this host
 * @param note  a remark, or the command to run
 * @param copy  where it is on this host's disk
 * @param queue the state of the queue, for a mount
 * @param exit  the exit code of a wait for it
 */
record Save(String volume, String run, @Nullable Long step, State state, Durability.@Nullable State level,
        String by, boolean here, @Nullable Instant since, String note, @Nullable Path copy, @Nullable SaverStatus queue,
        int exit) {
    static final Columns<Save> COLUMNS = Columns.of(Save.class)
            .text("volume", Save::volume)
            .text("run", Save::run)
            .number("step", Save::step)
            .text("state", Save::state)
            .text("level", Save::level)
            .text("by", Save::by)
            .time("since", Save::since)
            .text("note", Save::note)
            .text("copy", Save::copy).wide()
            .number("waiting", save -> save.queue() == null ? null : save.queue().waiting()).wide()
            .number("saved", save -> save.queue() == null ? null : save.queue().saved()).wide()
            .number("skipped", save -> save.queue() == null ? null : save.queue().skipped()).wide()
            .number("failed", save -> save.queue() == null ? null : save.queue().failed()).wide()
            .text("error", save -> save.queue() == null ? null : save.queue().error()).wide();

    /** The state of a save. */
    enum State {
        /** The checkpoint to resume from. */
        LATEST,
        /** Another saved checkpoint. */
        SAVED,
        /** A saved checkpoint that is incomplete or damaged. */
        DAMAGED,
        /** A mount with nothing to save. */
        IDLE,
        /** A copy is safe on this host's disk, and its job is about to begin. */
        STAGED,
        SAVING,
        /** Shards are in the volume, and other ranks are missing. */
        GATHERING,
        /** The process that saved it reported a failure. */
        FAILED,
        /** The process that saved it is gone. */
        LOST;

        boolean isOpen() {
            return this == STAGED || this == SAVING || this == GATHERING;
        }

        boolean isSaved() {
            return this == LATEST || this == SAVED || this == DAMAGED;
        }

        boolean isTrouble() {
            return this == FAILED || this == LOST;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Whether this is a save of that run and step. Any step matches the queue of a mount, which does not name its
     * steps.
     */
    boolean is(@Nullable String wantedRun, @Nullable Long wantedStep) {
        return (wantedRun == null || run.equals(wantedRun))
                && (wantedStep == null || queue != null || wantedStep.equals(step));
    }

    /** The save in words, for messages. */
    String said() {
        return "%s of run '%s'%s".formatted(step == null ? "a step" : "step " + step, run,
                by.isEmpty() ? "" : " by " + by);
    }
}
