package volsh.command.file;

import org.jspecify.annotations.Nullable;
import volsh.command.Guard;
import volsh.command.Outcome;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.render.Rows;

/** A copy in one direction, for {@code put}, {@code get} and {@code cp}. */
public interface Transfer {
    /** The copies that {@link #run} would make; fails as it would fail. */
    Plan plan(Session session) throws Exception;

    /** The confirmation that it needs. */
    default Guard guard(Session session) throws Exception {
        return Guard.NONE;
    }

    /** Copies; {@code verb} is the name of the command. */
    @Nullable Outcome<Rows<Moved>> run(Session session, String verb) throws Exception;
}
