package volsh.engine.postgres;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import volsh.engine.CounterShapeException;
import volsh.engine.MetaDamagedException;
import volsh.engine.MetaKey;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.NoSpaceException;

/** Classifies failures of the database: whether to retry, and what to report. */
final class PostgresFailures {
    /** Raised by our own functions. */
    private static final String SHAPES = "VS001";
    private static final String TOKEN_ENDED = "VS003";
    private static final String ONLY_READS = "VS004";
    private static final String DAMAGED = "VS005";

    private static final String DISK_FULL = "53100";
    /** A password of this many characters is no part of other words. */
    private static final int GUESSED_MIN = 8;

    private PostgresFailures() {}

    /** Whether the server or the network is unavailable, and may come back; or another server is to be used. */
    static boolean isOutage(SQLException failure) {
        String state = state(failure);
        return state.startsWith("08") || state.startsWith("57P0") || switch (state) {
            case "53300",               // too many connections
                 "25006" -> true;       // read-only: a standby that is about to take over
            default -> false;
        };
    }

    /** Whether the transaction was rolled back only because of concurrent ones. */
    static boolean isConflict(SQLException failure) {
        return switch (state(failure)) {
            case "40001", "40P01",      // serialisation failure, deadlock
                 "55P03",               // waited too long for a lock
                 "53200" -> true;       // out of lock memory
            default -> false;
        };
    }

    /** The exception for an operation that the database refused. */
    static IOException of(PostgresUrl url, SQLException failure) {
        String state = state(failure);
        if (state.equals(SHAPES)) {
            throw new CounterShapeException("counter deltas of different shapes", failure);
        }
        if (state.equals(ONLY_READS)) {
            return new FsException(FsError.READ_ONLY, said(url, failure).replaceFirst("^ERROR: ", ""));
        }
        String words = "%s: %s".formatted(url, words(url, failure, state));
        if (state.equals(DAMAGED)) {
            return MetaDamagedException.checksum(
                    MetaKey.of(HexFormat.of().parseHex(said(url, failure).replaceFirst(".*row ", ""))));
        }
        if (state.equals(DISK_FULL)) {
            return new NoSpaceException(words, failure);
        }
        return isRefused(failure) ? new FsException(FsError.ACCESS, words, failure) : new IOException(words, failure);
    }

    /** Whether the server rejects this user or denies the operation: retrying is useless. */
    static boolean isRefused(SQLException failure) {
        return switch (state(failure)) {
            case TOKEN_ENDED, "28P01", "28000", "42501" -> true;
            default -> false;
        };
    }

    /**
     * A revoked token is a role that no longer exists, an expired one has no valid password: the server reports both as
     * a failed login.
     */
    private static String login(PostgresUrl url, String said) {
        return url.token().isPresent() ? ("login failed: token %s was revoked, has expired, or the password is wrong; "
                + "ask the owner of the volume for a new token (%s)")
                .formatted(url.token().get().substring(PostgresUrl.TOKEN.length()), said)
                : said + "; set the password in ~/.pgpass, PGPASSWORD or the URL";
    }

    private static String words(PostgresUrl url, SQLException failure, String state) {
        String said = said(url, failure);
        return switch (state) {
            case TOKEN_ENDED -> said + "; ask the owner of the volume for a new token";
            case "28P01", "28000" -> login(url, said);
            case "3D000" -> said + "; create it: createdb " + url.database();
            case "42501" -> said + "; ask the owner of the database to grant it, or to create the schema for this user";
            case DISK_FULL -> said + "; free space on the server's disk";
            default -> said;
        };
    }

    /** The server's message, without secrets. */
    static String said(PostgresUrl url, SQLException failure) {
        String words = failure.getMessage() == null ? failure.toString()
                : failure.getMessage().lines().findFirst().orElse("");
        String said = isSilence(failure) ? "timed out: the server does not respond" : words;
        return url.password().filter(word -> !word.isEmpty()).map(word -> masked(said, word)).orElse(said);
    }

    /** A short password may be in any word: it is one only where passwords are. */
    static String masked(String said, String password) {
        return password.length() >= GUESSED_MIN ? said.replace(password, "***")
                : said.replace(":" + password + "@", ":***@").replaceAll("(?i)(password[ '\"]?[=:]\\s*['\"]?)"
                        + Pattern.quote(password) + "(?![\\w-])", "$1***");
    }

    private static boolean isSilence(SQLException failure) {
        return Stream.iterate((Throwable) failure, Objects::nonNull, Throwable::getCause)
                .anyMatch(SocketTimeoutException.class::isInstance);
    }

    private static String state(SQLException failure) {
        return failure.getSQLState() == null ? "" : failure.getSQLState();
    }
}
