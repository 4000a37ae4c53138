package volsh.block.s3;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.SdkException;
import volsh.block.BlockKey;
import volsh.block.NoSuchBlockException;
import volsh.block.RefusedException;
import volsh.block.RefusedException.Reason;
import volsh.block.SlowDownException;
import volsh.fs.NoSpaceException;

/** Translates exceptions of the SDK: an absent block, a refusal that must not be retried, or a passing failure. */
record S3Failures(BucketPrefix place) {
    private static final Pattern SECRETS = Pattern.compile(
            "(?i)((?:x-amz-security-token|x-amz-signature|signature)[\"']?\\s*[=:]\\s*[\"']?)[^\\s,;&\"'<]+");
    private static final Set<String> DENIALS = Set.of("AccessDenied", "AccountProblem", "AllAccessDisabled",
            "ExpiredToken", "InvalidAccessKeyId", "InvalidToken", "SignatureDoesNotMatch", "RequestTimeTooSkewed",
            "TokenRefreshRequired");
    private static final Set<String> WRONG = Set.of("AuthorizationHeaderMalformed",
            "IllegalLocationConstraintException", "InvalidBucketName", "InvalidRegion", "PermanentRedirect");
    private static final Set<String> FULL_DISKS = Set.of("InsufficientStorage", "QuotaExceeded", "XMinioStorageFull");
    private static final int FULL = 507;
    static final String REGION = "x-amz-bucket-region";
    private static final Duration BREATH = Duration.ofMillis(200);
    private static final Duration BREATH_MAX = Duration.ofSeconds(30);
    private static final String WHAT_TO_SET = "set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY,"
            + " or add the store with --profile NAME or --anonymous";

    /** An absent block, or as {@link #of(String, String, Exception)}. */
    IOException of(String what, BlockKey key, Exception failed) {
        boolean absent = failed instanceof AwsServiceException answer && answer.statusCode() == 404
                && !code(answer).equals("NoSuchBucket");
        return absent ? new NoSuchBlockException(key) : of(what, key.text(), failed);
    }

    IOException of(String what, String key, Exception failed) {
        Optional<NamedCredentials.Missing> missing = missingCredentials(failed);
        if (missing.isPresent()) {
            return new RefusedException(Reason.DENIED, "cannot access %s: %s (%s)"
                    .formatted(place.name(), missing.get().getMessage(), WHAT_TO_SET));
        }
        if (failed instanceof AwsServiceException answer) {
            return ofAnswer("%s: failed to %s %s: ".formatted(place.name(), what, key), answer);
        }
        if (Thread.currentThread().isInterrupted()) {
            var stopped = new InterruptedIOException("interrupted: %s %s".formatted(what, key));
            stopped.initCause(failed);
            return stopped;
        }
        return new IOException("%s: failed to %s %s: %s".formatted(place.name(), what, key, innermost(failed)), failed);
    }

    private IOException ofAnswer(String prefix, AwsServiceException answer) {
        String code = code(answer);
        String failure = prefix + said(answer);
        if (code.equals("NoSuchBucket")) {
            return new RefusedException(Reason.NO_SUCH_PLACE, "no such bucket: '%s' (%s)"
                    .formatted(place.bucket(), place.name()));
        }
        if (code.equals("NotImplemented") || answer.statusCode() == 501) {
            return new RefusedException(Reason.WRONG_SETTINGS, failure + " (the server does not implement this request;"
                    + " volsh store probe tells what it can do, and with which options volsh does without)");
        }
        if (WRONG.contains(code)) {
            return new RefusedException(Reason.WRONG_SETTINGS, failure + region(answer)
                    + " (check the endpoint, region and path-style of the store)");
        }
        if (answer.statusCode() == 401 || answer.statusCode() == 403 || DENIALS.contains(code)) {
            String advice = code.equals("RequestTimeTooSkewed") ? "synchronize the clock of this machine" : WHAT_TO_SET;
            return new RefusedException(Reason.DENIED, "%s (%s)".formatted(failure, advice));
        }
        if (answer.statusCode() == FULL || FULL_DISKS.contains(code)) {
            return new NoSpaceException(failure, answer);
        }
        if (answer.statusCode() == 503 || answer.statusCode() == 429 || code.equals("SlowDown")) {
            return new SlowDownException(failure, wait(answer), answer);
        }
        return new IOException(failure, answer);
    }

    private static String said(AwsServiceException answer) {
        String message = answer.awsErrorDetails() == null ? "" : answer.awsErrorDetails().errorMessage();
        return "%s %d%s".formatted(code(answer), answer.statusCode(),
                message == null || message.isEmpty() ? "" : ", " + withoutSecrets(message));
    }

    /** Some servers repeat the request in their message: tokens and signatures of it belong in no log. */
    private static String withoutSecrets(String message) {
        return SECRETS.matcher(message).replaceAll("$1****");
    }

    static String code(AwsServiceException answer) {
        String code = answer.awsErrorDetails() == null ? null : answer.awsErrorDetails().errorCode();
        return code == null ? "status" : code;
    }

    private static String region(AwsServiceException answer) {
        return header(answer, REGION).map(", the bucket is in "::concat).orElse("");
    }

    private static Duration wait(AwsServiceException answer) {
        return header(answer, "Retry-After").filter(text -> text.matches("\\d{1,6}"))
                .map(text -> Duration.ofSeconds(Long.parseLong(text)))
                .map(asked -> asked.compareTo(BREATH_MAX) < 0 ? asked : BREATH_MAX)
                .orElse(BREATH);
    }

    static Optional<String> header(AwsServiceException answer, String name) {
        return Optional.ofNullable(answer.awsErrorDetails())
                .map(details -> details.sdkHttpResponse())
                .flatMap(response -> response.firstMatchingHeader(name));
    }

    private static Optional<NamedCredentials.Missing> missingCredentials(Throwable failed) {
        for (Throwable each = failed; each != null; each = each.getCause()) {
            if (each instanceof NamedCredentials.Missing missing) {
                return Optional.of(missing);
            }
        }
        return Optional.empty();
    }

    /** The root cause: the SDK wraps it several times. */
    private static String innermost(Throwable failed) {
        Throwable cause = failed;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }

    /** A client that cannot even be built. */
    static IOException settings(SdkException wrong) {
        return new RefusedException(Reason.WRONG_SETTINGS,
                "cannot use S3: %s (set AWS_REGION, or add the store with --region)".formatted(innermost(wrong)));
    }
}
