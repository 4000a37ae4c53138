package volsh.engine.postgres;

import volsh.engine.MetaKey;

/** What the database says about a transaction. */
sealed interface Verdict {
    /** It is written, or what it read is true. */
    record Good() implements Verdict {}

    /** Something it read is different by now: nothing is written. */
    record Stale() implements Verdict {}

    /** A key it holds does not exist: nothing is written. */
    record Missing(MetaKey key) implements Verdict {}

    /** As our functions say it: null, empty, or the missing key. */
    static Verdict of(byte[] answer) {
        if (answer == null) {
            return new Good();
        }
        return answer.length == 0 ? new Stale() : new Missing(MetaKey.of(answer));
    }
}
