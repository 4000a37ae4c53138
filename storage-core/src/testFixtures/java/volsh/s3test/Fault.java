package volsh.s3test;

/** What may happen to a request on its way to a store and back. */
public enum Fault {
    /** The server answers 500 and does nothing. */
    INTERNAL_ERROR,
    /** The server answers 503 SlowDown and does nothing. */
    SLOW_DOWN,
    /** Nobody answers, for as long as the client waits. */
    STALL,
    /** The connection is reset before the request reaches the server. */
    RESET_BEFORE,
    /** The connection is reset in the middle of the answer. */
    RESET_IN_REPLY,
    /** The answer ends early, as if that were all. */
    TRUNCATED_REPLY,
    /** A bit of the object is flipped on its way to the client. */
    FLIPPED_REPLY,
    /** A bit of the object is flipped on its way to the server. */
    FLIPPED_REQUEST,
    /** The server has done it, but the connection is cut before it can say so. */
    LOST_REPLY,
    /** The answer comes in drops. */
    SLOW_REPLY,
    /** The server says that there is no such object, though there is. */
    STALE_404,
    /** The answer tells a shorter length than it has, and is cut to it. */
    WRONG_LENGTH,
    /** The server sends the client elsewhere, where nobody should go with credentials. */
    REDIRECT;

    /** Whether it can happen to this request. */
    boolean fits(HttpMessage request) {
        boolean object = request.target().split("\\?")[0].split("/").length > 2;
        return switch (this) {
            case FLIPPED_REPLY, STALE_404, WRONG_LENGTH -> object && request.method().equals("GET");
            case FLIPPED_REQUEST -> object && request.method().equals("PUT") && request.body().length > 0;
            default -> true;
        };
    }
}
