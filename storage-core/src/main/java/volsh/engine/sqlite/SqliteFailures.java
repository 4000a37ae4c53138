package volsh.engine.sqlite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;
import volsh.engine.MetaDamagedException;
import volsh.engine.MetaUnavailableException;
import volsh.fs.NoSpaceException;
import volsh.fs.ReadOnlyDiskException;

/** What SQLite reported, in words that say what to do. */
final class SqliteFailures extends IOException {
    private static final String READ_ONLY = "it cannot be written; make the file and its directory writable";
    private static final String FULL = "no space is left on the disk; free some and try again";

    private static final int PROBE_BYTES = 64 << 10;

    private final SQLiteErrorCode code;

    private SqliteFailures(String message, SQLiteErrorCode code, Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    static IOException of(Path path, SQLException cause) {
        var code = codeOf(cause);
        boolean noIndex = code == SQLiteErrorCode.SQLITE_IOERR_SHMSIZE;   // the log's index could not grow: the disk is full
        if (noIndex || mayBeFull(code) && isFull(path)) {
            return full(path, code, cause);
        }
        return switch (primary(code)) {
            case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL -> busy(path, cause);
            case SQLITE_FULL -> full(path, code, cause);
            case SQLITE_READONLY, SQLITE_PERM -> readOnly("%s: %s (%s)".formatted(path, READ_ONLY, code.name()), cause);
            case SQLITE_CANTOPEN ->
                    trouble(path, "it cannot be opened; check that the file and its directory are yours", code, cause);
            case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT, SQLITE_SCHEMA -> new MetaDamagedException(
                    "%s: it is damaged or no database of volsh; restore it from a copy (%s)".formatted(path, code.name()),
                    cause);
            case SQLITE_IOERR -> trouble(path, "the disk reported an error; check the disk", code, cause);
            default -> trouble(path, "the database refused", code, cause);
        };
    }

    /** Not a sync that failed: what it may have lost must not be taken for something that was never written. */
    private static boolean mayBeFull(SQLiteErrorCode code) {
        return primary(code) == SQLiteErrorCode.SQLITE_CANTOPEN || code == SQLiteErrorCode.SQLITE_IOERR_WRITE
                || code == SQLiteErrorCode.SQLITE_IOERR_SHMOPEN;
    }

    /** SQLite does not tell a disk without inodes, or a quota that is used up, from one that fails: writing a file does. */
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

    private static void remove(Path probe) {
        try {
            if (probe != null) {
                Files.deleteIfExists(probe);
            }
        } catch (IOException kept) {
            // a disk that fails has more to tell than this
        }
    }

    private static NoSpaceException full(Path path, SQLiteErrorCode code, SQLException cause) {
        return new NoSpaceException("%s: %s (%s)".formatted(path, FULL, code.name()), cause);
    }

    /** The disk has space left, but none that a transaction of this purpose may have. */
    static NoSpaceException kept(Path path, Purpose purpose) {
        return new NoSpaceException("%s: %s".formatted(path, purpose == Purpose.WRITE ? FULL + " (the last of it is kept for removing)"
                : "no space is left on the disk, and what is removed is kept as history; keep less of it and collect it: volsh volume gc --delete"), null);
    }

    static ReadOnlyDiskException readOnly(Path path) {
        return readOnly("%s: %s".formatted(path, READ_ONLY), null);
    }

    private static ReadOnlyDiskException readOnly(String message, SQLException cause) {
        return new ReadOnlyDiskException(message, cause);
    }

    static MetaUnavailableException busy(Path path, Throwable cause) {
        return new MetaUnavailableException(
                "%s: another process keeps the metadata locked; try again when it is done".formatted(path), cause);
    }

    static boolean isBusy(SQLException cause) {
        return primary(codeOf(cause)) == SQLiteErrorCode.SQLITE_BUSY;
    }

    /** Whether all is well but that another has a lock. */
    static boolean isLocked(SQLException cause) {
        var code = primary(codeOf(cause));
        return code == SQLiteErrorCode.SQLITE_BUSY || code == SQLiteErrorCode.SQLITE_LOCKED;
    }

    /** Whether written bytes may be gone although a later sync would say otherwise. */
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
