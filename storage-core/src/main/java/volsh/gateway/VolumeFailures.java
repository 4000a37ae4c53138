package volsh.gateway;

import java.io.IOException;
import volsh.block.UnavailableException;
import volsh.catalog.Refusal;
import volsh.engine.MetaUnavailableException;
import volsh.fs.FsException;
import volsh.fs.NoSpaceException;

/** Failures of a volume as S3 clients understand them: what may pass is 503, which clients try again. */
final class VolumeFailures {
    private VolumeFailures() {}

    static S3Refusal refusal(IOException failed) {
        String message = String.valueOf(failed.getMessage());
        return switch (failed) {
            case S3Refusal refused -> refused;
            case FsException refused -> switch (refused.error()) {
                case NO_ENTRY -> new S3Refusal(404, "NoSuchKey", message);
                case NO_SPACE -> new S3Refusal(507, "InsufficientStorage", message);
                case QUOTA -> new S3Refusal(403, "QuotaExceeded", message);
                case READ_ONLY, ACCESS, NOT_PERMITTED -> S3Refusal.denied(message);
                case NAME_TOO_LONG, INVALID -> S3Refusal.invalid(message);
                case IS_DIRECTORY, NOT_DIRECTORY, NOT_EMPTY, EXISTS ->
                    new S3Refusal(409, "OperationAborted", message);
                case STALE, TIMED_OUT, BUSY -> unavailable(message);
                default -> internal(message);
            };
            case NoSpaceException full -> new S3Refusal(507, "InsufficientStorage", message);
            case UnavailableException away -> unavailable(message);
            case MetaUnavailableException away -> unavailable(message);
            case Refusal refused -> switch (refused.reason()) {
                case NOT_FOUND -> new S3Refusal(404, "NoSuchBucket", message);
                case FORBIDDEN -> S3Refusal.denied(message);
                case INVALID -> S3Refusal.invalid(message);
                case NO_SPACE -> new S3Refusal(507, "InsufficientStorage", message);
                default -> unavailable(message);
            };
            default -> internal(message);
        };
    }

    private static S3Refusal unavailable(String message) {
        return new S3Refusal(503, "ServiceUnavailable", message);
    }

    private static S3Refusal internal(String message) {
        return new S3Refusal(500, "InternalError", message);
    }
}
