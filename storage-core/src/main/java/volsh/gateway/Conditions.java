package volsh.gateway;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Optional;

/** The conditions of a request on the object that exists: If-Match, If-None-Match, If-(Un)Modified-Since. */
record Conditions(Optional<String> match, Optional<String> noneMatch, Optional<Instant> modified,
        Optional<Instant> unmodified) {

    static Conditions of(S3Request request) {
        return new Conditions(request.header("If-Match"), request.header("If-None-Match"),
                time(request.header("If-Modified-Since")), time(request.header("If-Unmodified-Since")));
    }

    /** Those on the source of a copy. */
    static Conditions ofSource(S3Request request) {
        String prefix = "x-amz-copy-source-if-";
        return new Conditions(request.header(prefix + "match"), request.header(prefix + "none-match"),
                time(request.header(prefix + "modified-since")), time(request.header(prefix + "unmodified-since")));
    }

    private static Optional<Instant> time(Optional<String> header) {
        try {
            return header.map(text -> ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant());
        } catch (DateTimeException notATime) {
            return Optional.empty();   // ignored, as HTTP has it
        }
    }

    /** Whether the client has this content already; fails if it asked for another. */
    boolean isUnchanged(String tag, Instant changed) throws S3Refusal {
        if (match.isPresent() ? !has(match.get(), tag)
                : unmodified.isPresent() && changed.isAfter(unmodified.get())) {
            throw new S3Refusal(412, "PreconditionFailed", "the object is not the one that the request names");
        }
        return noneMatch.isPresent() ? has(noneMatch.get(), tag)
                : modified.isPresent() && !changed.isAfter(modified.get());
    }

    private static boolean has(String list, String tag) {
        return list.strip().equals("*") || Arrays.stream(list.split(",")).map(String::strip)
                .map(each -> each.startsWith("W/") ? each.substring(2) : each)
                .anyMatch(each -> each.equals('"' + tag + '"') || each.equals(tag));
    }
}
