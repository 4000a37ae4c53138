package volsh.engine.postgres;

import volsh.engine.MetaKey;

/** The result of a transaction in the database. */
sealed interface Verdict {
    /** It is written, or what it read is unchanged. */
    record Good() implements Verdict {}

    /** Something it read has changed: nothing is written. */
    record Stale() implements Verdict {}

    /** A key it holds does not exist: nothing is written. */
    record Missing(MetaKey key) implements Verdict {}

    /** Parses the result of our functions: null, empty, or the missing key. */
    static Verdict of(byte[] answer) {
        if (answer == null) {
            return new Good();
        }
        return answer.length == 0 ? new Stale() : new Missing(MetaKey.of(answer));
    }
}
