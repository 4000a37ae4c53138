package volsh.command.file;

import volsh.command.Outcome;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.render.Rows;

/** A copy in one direction, as {@code put}, {@code get} and {@code cp} ask for it. */
sealed interface Transfer permits Inward, Outward, Across {
    /** What would be copied where. Refuses what {@link #run} would refuse. */
    Plan plan(Session session) throws Exception;

    /** Copies; {@code verb} is the command that asked. */
    Outcome<Rows<Moved>> run(Session session, String verb) throws Exception;
}
