package volsh.engine.postgres;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A right to use a volume until some time: by a role of the database that may do nothing but call functions, which ask each time
 * whether the token is still good.
 *
 * @param path the directory it is limited to, where that was when the token was made
 */
public record Token(String id, Optional<String> path, boolean readOnly, Instant created, Optional<Instant> expires, Optional<Instant> revoked, String note) {
    /** The role it connects as. */
    public String role() {
        return PostgresUrl.TOKEN + id;
    }

    public boolean isGood(Instant now) {
        return revoked.isEmpty() && expires.map(now::isBefore).orElse(true);
    }

    /** A directory by its path and its inode. */
    public record Place(String path, long ino) {}

    /** What a token is to allow. A part of a volume can only be read: what a writer may change cannot be told by keys. */
    public record Wish(Optional<Place> place, boolean readOnly, Optional<Duration> lifetime, String note) {
        public Wish {
            if (place.isPresent() && !readOnly) {
                throw new IllegalArgumentException("a token of a path only reads");
            }
        }
    }

    /** A new token, and how to connect with it: the only time that its password is told. */
    public record Made(Token token, PostgresUrl url) {}
}
