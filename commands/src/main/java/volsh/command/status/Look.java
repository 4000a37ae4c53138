package volsh.command.status;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import volsh.command.Session;
import volsh.mount.Mounts;

/** Tells how one kind of thing is on this machine. To show something more on the screen, write another one and add it to {@link Status}. */
interface Look {
    /**
     * One question for each thing there is, to be asked side by side, each by a thread of its own; one that is not answered in time becomes a row
     * that says so.
     */
    List<Question> questions(Session session, Terms terms) throws Exception;

    /**
     * What is asked about {@code name}, which is a {@code kind}; {@code next} is what to try if there is no answer. What {@code mayBeSlow} is asked twice before it
     * counts as unavailable.
     */
    record Question(String kind, String name, String next, boolean mayBeSlow, Answer answer) {
        Question(String kind, String name, String next, Callable<StatusRow> answer) {
            this(kind, name, next, false, sends -> answer.call());
        }

        StatusRow failed(Health health, String why) {
            boolean isDamagedVolume = kind.equals("volume") && health == Health.DAMAGED;
            return StatusRow.of(kind, name, health, why, isDamagedVolume ? "volsh volume check " + name : next);
        }
    }

    /** Gives the answer; {@code sends} is run when all that is left is to ask and to wait. */
    interface Answer {
        StatusRow give(Runnable sends) throws Exception;
    }

    /** From which age on what only this host has counts as at risk; and the mounts, which are asked once for all who look at them. */
    record Terms(Duration rpo, Supplier<List<Mounts.Status>> asked) {
        /** Waits for them. */
        List<Mounts.Status> mounts() {
            return asked.get();
        }
    }
}
