package volsh.engine.postgres;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A right to use a volume until some time: a role of the database that may only call functions, which check each time
 * whether the token is still valid.
 *
 * @param path the directory it is limited to, as it was when the token was created
 */
public record Token(String id, Optional<String> path, boolean readOnly, Instant created, Optional<Instant> expires,
        Optional<Instant> revoked, String note) {
    /** The role it connects as. */
    public String role() {
        return PostgresUrl.TOKEN + id;
    }

    public boolean isGood(Instant now) {
        return revoked.isEmpty() && expires.map(now::isBefore).orElse(true);
    }

    /** A directory by its path and its inode. */
    public record Place(String path, long ino) {}

    /** What a token should allow. For part of a volume it is read-only: keys do not tell what a writer may change. */
    public record Wish(Optional<Place> place, boolean readOnly, Optional<Duration> lifetime, String note) {
        public Wish {
            if (place.isPresent() && !readOnly) {
                throw new IllegalArgumentException("a token for a path must be read-only");
            }
        }
    }

    /** A new token, and how to connect with it: the only time that its password is shown. */
    public record Made(Token token, PostgresUrl url) {}
}
