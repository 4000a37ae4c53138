package volsh.command.typing;

import java.util.List;
import volsh.command.complete.Candidate;

/**
 * The candidates at a cursor.
 *
 * @param start      where in the line the word begins that a candidate replaces, up to the cursor
 * @param candidates the best first
 */
public record Completed(int start, String typed, List<Candidate> candidates) {
    public Completed {
        candidates = List.copyOf(candidates);
    }
}
