package volsh.command.complete;

import java.util.List;
import java.util.Map;

/**
 * Live names for a kind of parameter: volumes, stores, paths in volumes. Must not change anything, and should answer
 * from what is at hand. Words that do not match {@code prefix} are ignored.
 */
public interface CompletionSource {
    List<Candidate> candidates(String prefix) throws Exception;

    /**
     * As {@link #candidates(String)}; {@code given} has what else stands in the line, by label ({@code VOLUME}) and by
     * the long name of options ({@code --run}).
     */
    default List<Candidate> candidates(String prefix, Map<String, String> given) throws Exception {
        return candidates(prefix);
    }

    /** As {@link #scope(String)}. */
    default String scope(String prefix, Map<String, String> given) {
        return scope(prefix);
    }

    /** Candidates that are cheap to compute in advance: names without descriptions. */
    default List<Candidate> ahead() throws Exception {
        return candidates("");
    }

    /** What of {@code prefix} the answer depends on: for the same scope the last answer is as good as a new one. */
    default String scope(String prefix) {
        return "";
    }
}
