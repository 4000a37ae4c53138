package volsh.engine.sqlite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;
import volsh.engine.MetaDamagedException;
import volsh.engine.MetaUnavailableException;
import volsh.fs.NoSpaceException;
import volsh.fs.ReadOnlyDiskException;

/** A failure reported by SQLite, with a message that says what to do. */
final class SqliteFailures extends IOException {
    private static final String READ_ONLY = "read-only: make the file and its directory writable";
    private static final String FULL = "not enough space on the disk; free some space and retry";

    private static final int PROBE_BYTES = 64 << 10;

    private final SQLiteErrorCode code;

    private SqliteFailures(String message, SQLiteErrorCode code, Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    static IOException of(Path path, SQLException cause) {
        var code = codeOf(cause);
        // the log's index could not grow: the disk is full
        boolean noIndex = code == SQLiteErrorCode.SQLITE_IOERR_SHMSIZE;
        if (noIndex || mayBeFull(code) && isFull(path)) {
            return full(path, code, cause);
        }
        return switch (primary(code)) {
            case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL -> busy(path, cause);
            case SQLITE_FULL -> full(path, code, cause);
            case SQLITE_READONLY, SQLITE_PERM -> readOnly("%s: %s (%s)".formatted(path, READ_ONLY, code.name()), cause);
            case SQLITE_CANTOPEN ->
                    trouble(path, "cannot open it; check the owner and permissions of the file and its directory", code,
                            cause);
            case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT, SQLITE_SCHEMA -> new MetaDamagedException(
                    "%s: metadata corrupt: the file is damaged or not a volsh database; restore it from a backup (%s)"
                            .formatted(path, code.name()), cause);
            case SQLITE_IOERR -> trouble(path, "the disk reported an error; check the disk", code, cause);
            default -> trouble(path, "the database failed", code, cause);
        };
    }

    /** Not a failed sync: what it may have lost must not be treated as never written. */
    private static boolean mayBeFull(SQLiteErrorCode code) {
        return primary(code) == SQLiteErrorCode.SQLITE_CANTOPEN || code == SQLiteErrorCode.SQLITE_IOERR_WRITE
                || code == SQLiteErrorCode.SQLITE_IOERR_SHMOPEN;
    }

    /** SQLite does not tell a disk without inodes, or an exhausted quota, from a failing one: writing a file does. */
    private static boolean isFull(Path path) {
        Path probe = null;
        try {
            probe = Files.createTempFile(path.toAbsolutePath().getParent(), ".probe", null);
            Files.write(probe, new byte[PROBE_BYTES]);
            return false;
        } catch (IOException failed) {
            return NoSpaceException.isBehind(failed);
        } finally {
            remove(probe);
        }
    }

    private static void remove(@Nullable Path probe) {
        try {
            if (probe != null) {
                Files.deleteIfExists(probe);
            }
        } catch (IOException kept) {
            // a failing disk is reported otherwise
        }
    }

    private static NoSpaceException full(Path path, SQLiteErrorCode code, SQLException cause) {
        return new NoSpaceException("%s: %s (%s)".formatted(path, FULL, code.name()), cause);
    }

    /** The disk has space left, but none that a transaction of this purpose may use. */
    static NoSpaceException kept(Path path, Purpose purpose) {
        return new NoSpaceException("%s: %s".formatted(path,
                purpose == Purpose.WRITE ? FULL + " (the last of it is reserved for removing files)"
                : "not enough space on the disk: removed files are kept as history; reduce the retention, "
                + "then run 'volsh volume gc --delete'"), null);
    }

    static ReadOnlyDiskException readOnly(Path path) {
        return readOnly("%s: %s".formatted(path, READ_ONLY), null);
    }

    private static ReadOnlyDiskException readOnly(String message, @Nullable SQLException cause) {
        return new ReadOnlyDiskException(message, cause);
    }

    static MetaUnavailableException busy(Path path, @Nullable Throwable cause) {
        return new MetaUnavailableException(
                "%s: timed out: the metadata is locked by another process; retry when it is done".formatted(path),
                cause);
    }

    static boolean isBusy(SQLException cause) {
        return primary(codeOf(cause)) == SQLiteErrorCode.SQLITE_BUSY;
    }

    /** Whether the only problem is a lock of another process. */
    static boolean isLocked(SQLException cause) {
        var code = primary(codeOf(cause));
        return code == SQLiteErrorCode.SQLITE_BUSY || code == SQLiteErrorCode.SQLITE_LOCKED;
    }

    /** Whether written bytes may be lost although a later sync would succeed. */
    static boolean isLostSync(IOException failure) {
        return failure instanceof SqliteFailures trouble
                && (trouble.code == SQLiteErrorCode.SQLITE_IOERR_FSYNC
                || trouble.code == SQLiteErrorCode.SQLITE_IOERR_DIR_FSYNC);
    }

    private static SqliteFailures trouble(Path path, String words, SQLiteErrorCode code, SQLException cause) {
        return new SqliteFailures("%s: %s (%s)".formatted(path, words, code.name()), code, cause);
    }

    private static SQLiteErrorCode codeOf(SQLException cause) {
        return cause instanceof SQLiteException reported ? reported.getResultCode() : SQLiteErrorCode.UNKNOWN_ERROR;
    }

    private static SQLiteErrorCode primary(SQLiteErrorCode code) {
        return code == SQLiteErrorCode.UNKNOWN_ERROR ? code : SQLiteErrorCode.getErrorCode(code.code & 0xff);
    }
}
