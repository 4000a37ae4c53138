package volsh.block.s3;

import java.io.IOException;
import java.util.Set;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import volsh.block.RefusedException;
import volsh.object.NoSuchObjectException;
import volsh.object.ObjectChangedException;

/** Translates failures of requests for objects: an absent object, a changed one, a refusal, or a passing failure. */
record ObjectFailures(BucketPrefix place) {
    static final String LOOK_FOR = "look for";
    private static final Set<String> WRONG = Set.of("EntityTooLarge", "EntityTooSmall", "InvalidArgument",
            "InvalidPart", "InvalidRequest", "InvalidURI", "KeyTooLongError", "MalformedXML");

    /** {@code expected} is the ETag in the request's condition; empty without one. */
    IOException of(String what, String key, String expected, Exception failed) {
        if (failed instanceof NoSuchObjectException || failed instanceof ObjectChangedException) {
            return (IOException) failed;
        }
        if (failed instanceof AwsServiceException answer) {
            String code = answer.awsErrorDetails() == null ? null : answer.awsErrorDetails().errorCode();
            if (answer.statusCode() == 404 && (code == null || code.equals("NoSuchKey"))) {
                return new NoSuchObjectException(place.name(), key);
            }
            boolean silent = code == null && what.equals(LOOK_FOR);       // a HEAD has no reason
            if (answer.statusCode() == 400 && (silent || code != null && WRONG.contains(code))) {
                return new RefusedException(RefusedException.Reason.WRONG_SETTINGS,
                        "%s: failed to %s %s: the server refuses the request (%s, status 400)"
                        .formatted(place.name(), what, shown(key), code == null ? "no reason" : code));
            }
            if (answer.statusCode() == 412) {
                return new ObjectChangedException(place.name(), key, expected);
            }
        }
        return new S3Failures(place).of(what, shown(key), failed);
    }

    static IOException unlike(BucketPrefix place, String key, String expected) {
        return new ObjectChangedException(place.name(), key, expected);
    }

    /** Without control characters. */
    private static String shown(String key) {
        return key.isEmpty() ? "the bucket" : key.replaceAll("\\p{Cntrl}", "?");
    }
}
