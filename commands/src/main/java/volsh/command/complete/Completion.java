package volsh.command.complete;

import java.util.List;

/** The candidates at the cursor: these words, and possibly a local file, which the shell completes itself. */
public record Completion(List<Candidate> candidates, boolean localFiles) {
    static final Completion NOTHING = new Completion(List.of(), false);
    static final Completion LOCAL_FILES = new Completion(List.of(), true);

    public Completion {
        candidates = List.copyOf(candidates);
    }
}
