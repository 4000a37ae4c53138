package volsh.gateway;

import java.io.IOException;
import java.util.Optional;
import volsh.block.UnavailableException;
import volsh.catalog.Refusal;
import volsh.engine.MetaUnavailableException;
import volsh.fs.FsException;
import volsh.fs.NoSpaceException;

/**
 * Failures of a volume as S3 clients understand them: what may pass is 503, which clients try again. A write fails with
 * the reason as a cause, so that the causes are looked at, too.
 */
final class VolumeFailures {
    /** Chains of causes may be cyclic. */
    private static final int LONGEST_CHAIN = 100;

    private VolumeFailures() {}

    static S3Refusal refusal(IOException failed) {
        String message = String.valueOf(failed.getMessage());
        Throwable cause = failed;
        for (int depth = 0; cause != null && depth < LONGEST_CHAIN; depth++, cause = cause.getCause()) {
            var known = known(cause, message);
            if (known.isPresent()) {
                return known.get();
            }
        }
        return NoSpaceException.isBehind(failed) ? full(message) : new S3Refusal(500, "InternalError", message);
    }

    private static Optional<S3Refusal> known(Throwable cause, String message) {
        return switch (cause) {
            case S3Refusal refused -> Optional.of(refused);
            case FsException refused -> known(refused, message);
            case NoSpaceException full -> Optional.of(full(message));
            case UnavailableException away -> Optional.of(unavailable(message));
            case MetaUnavailableException away -> Optional.of(unavailable(message));
            case Refusal refused -> Optional.of(switch (refused.reason()) {
                case NOT_FOUND -> new S3Refusal(404, "NoSuchBucket", message);
                case FORBIDDEN -> S3Refusal.denied(message);
                case INVALID -> S3Refusal.invalid(message);
                case NO_SPACE -> full(message);
                default -> unavailable(message);
            });
            default -> Optional.empty();
        };
    }

    private static Optional<S3Refusal> known(FsException refused, String message) {
        return switch (refused.error()) {
            case NO_ENTRY -> Optional.of(new S3Refusal(404, "NoSuchKey", message));
            case NO_SPACE -> Optional.of(full(message));
            case QUOTA -> Optional.of(new S3Refusal(403, "QuotaExceeded", message));
            case READ_ONLY, ACCESS, NOT_PERMITTED -> Optional.of(S3Refusal.denied(message));
            case NAME_TOO_LONG, INVALID -> Optional.of(S3Refusal.invalid(message));
            case IS_DIRECTORY, NOT_DIRECTORY, NOT_EMPTY, EXISTS ->
                Optional.of(new S3Refusal(409, "OperationAborted", message));
            case STALE, TIMED_OUT, BUSY -> Optional.of(unavailable(message));
            default -> Optional.empty();
        };
    }

    private static S3Refusal full(String message) {
        return new S3Refusal(507, "InsufficientStorage", message);
    }

    private static S3Refusal unavailable(String message) {
        return new S3Refusal(503, "ServiceUnavailable", message);
    }
}
