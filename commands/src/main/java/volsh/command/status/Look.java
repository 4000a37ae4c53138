package volsh.command.status;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import volsh.command.Session;
import volsh.mount.Mounts;

/** Checks the health of one kind of object. To check another kind, implement this and add it to {@link Status}. */
interface Look {
    /**
     * One question per object. Each is asked by a thread of its own; a question without an answer becomes a row that
     * reports the timeout.
     */
    List<Question> questions(Session session, Terms terms) throws Exception;

    /**
     * A question about the object {@code name} of the given {@code kind}; {@code next} is the command to try if there
     * is no answer. A question that {@code mayBeSlow} is asked twice before its object counts as unavailable.
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

    /** Answers a question; runs {@code sends} just before it sends the request. */
    interface Answer {
        StatusRow give(Runnable sends) throws Exception;
    }

    /** The age from which data that only this host has counts as at risk, and the mounts, which are listed once. */
    record Terms(Duration rpo, Supplier<List<Mounts.Status>> asked) {
        /** Waits for them. */
        List<Mounts.Status> mounts() {
            return asked.get();
        }
    }
}
