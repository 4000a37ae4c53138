package volsh.command.status;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import volsh.command.Session;

/** Tells how one kind of thing is on this machine. To show something more on the screen, write another one and add it to {@link Status}. */
interface Look {
    /**
     * One question for each thing there is, to be asked side by side, each by a thread of its own; one that is not answered in time becomes a row
     * that says so.
     */
    List<Question> questions(Session session, Terms terms) throws Exception;

    /** What is asked about {@code name}, which is a {@code kind}; {@code next} is what to try if there is no answer. */
    record Question(String kind, String name, String next, Callable<StatusRow> answer) {
        StatusRow failed(Health health, String why) {
            return StatusRow.of(kind, name, health, why, next);
        }
    }

    /** From which age on what only this host has counts as at risk. */
    record Terms(Duration rpo) {}
}
