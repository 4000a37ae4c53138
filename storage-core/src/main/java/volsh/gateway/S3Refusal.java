package volsh.gateway;

import java.io.IOException;

/** A request is refused, in the words of S3: an HTTP status, a code that clients know, and a sentence for people. */
final class S3Refusal extends IOException {
    private static final long serialVersionUID = 1;
    private final int status;
    private final String code;

    S3Refusal(int status, String code, String message) {
        super(message);
        this.status = status;
        this.code = code;
    }

    static S3Refusal denied(String why) {
        return new S3Refusal(403, "AccessDenied", why);
    }

    static S3Refusal invalid(String why) {
        return new S3Refusal(400, "InvalidArgument", why);
    }

    static S3Refusal noKey(String key) {
        return new S3Refusal(404, "NoSuchKey", "no object '%s'".formatted(key));
    }

    static S3Refusal notImplemented(String what) {
        return new S3Refusal(501, "NotImplemented", what + " is not supported by volsh gateway");
    }

    int status() {
        return status;
    }

    String code() {
        return code;
    }

    /** Refusals are ordinary answers, of which a hostile client may ask for many. */
    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
