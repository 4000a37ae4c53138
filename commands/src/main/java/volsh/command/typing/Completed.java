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

    /** What a menu shows of a candidate: of a path only what comes behind the directory that is typed. */
    public String lastPart(Candidate candidate) {
        String directory = typed.substring(0, typed.lastIndexOf('/') + 1);
        boolean below = candidate.word().startsWith(directory) && candidate.word().length() > directory.length();
        if (!candidate.isCode() && !directory.isEmpty() && below) {
            return candidate.word().substring(directory.length());
        }
        int colon = typed.isEmpty() ? -1 : candidate.word().indexOf(":/");
        return colon > 0 && colon + 2 < candidate.word().length() ? candidate.word().substring(colon + 1)
                : candidate.word();
    }
}
