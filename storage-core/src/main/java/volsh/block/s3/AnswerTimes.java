package volsh.block.s3;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;

/** The times in the headers of a response. */
final class AnswerTimes {
    private AnswerTimes() {}

    /** When the object was stored; the epoch if the response does not say. */
    static Instant modified(AnswerHead head) {
        return time(head, "last-modified", Instant.EPOCH);
    }

    /** When the response was sent, by the server's clock. */
    static Instant answered(AnswerHead head) {
        return time(head, "date", Instant.EPOCH);
    }

    private static Instant time(AnswerHead head, String name, Instant unknown) {
        try {
            return head.header(name).map(DateTimeFormatter.RFC_1123_DATE_TIME::parse).map(Instant::from)
                    .orElse(unknown);
        } catch (DateTimeException strange) {
            return unknown;
        }
    }
}
