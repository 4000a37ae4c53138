package volsh.command.checkpoint;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Locale;
import volsh.command.render.Columns;
import volsh.mount.SaverStatus;
import volsh.volume.Durability;

/**
 * One step that somebody saves, or that was saved last, as {@code checkpoint status} shows it. Null is what nobody knows.
 *
 * @param level how safe it is already
 * @param by    who saves it
 * @param here  whether that is a process of this host
 * @param note  what to know or to do
 * @param copy  where it is on this host's disk
 * @param queue of a mount: how its queue stands
 * @param exit  what a wait for it ends with
 */
record Save(String volume, String run, Long step, State state, Durability.State level, String by, boolean here, Instant since, String note, Path copy,
            SaverStatus queue, int exit) {
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

    /** How it stands. */
    enum State {
        /** The checkpoint to resume from. */
        LATEST,
        /** Another one that is there. */
        SAVED,
        /** One that is there and not whole. */
        DAMAGED,
        /** A mount that has nothing to save. */
        IDLE,
        /** A copy is safe on this host's disk, and its job is about to begin. */
        STAGED,
        SAVING,
        /** Shards are in the volume, and other ranks are awaited. */
        GATHERING,
        /** Whoever saved it has given up. */
        FAILED,
        /** Whoever saved it is gone. */
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

    /** Which steps wait in the queue of a mount nobody says, so it may be any. */
    boolean is(String wantedRun, Long wantedStep) {
        return (wantedRun == null || run.equals(wantedRun)) && (wantedStep == null || queue != null || wantedStep.equals(step));
    }

    /** As a message says it. */
    String said() {
        return "%s of run '%s'%s".formatted(step == null ? "a step" : "step " + step, run, by.isEmpty() ? "" : " by " + by);
    }
}
