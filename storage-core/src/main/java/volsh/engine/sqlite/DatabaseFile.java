package volsh.engine.sqlite;

import static java.nio.file.attribute.PosixFilePermissions.asFileAttribute;
import static java.nio.file.attribute.PosixFilePermissions.fromString;

import java.io.IOException;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import volsh.engine.MetaDamagedException;

/**
 * The file of a database: created atomically, and checked before it is trusted.
 *
 * <p>While SQLite has the file open, nothing else in this process may open it: closing any descriptor of a file drops
 * the locks that the process has on it.
 */
record DatabaseFile(Path path) {
    /** "volm", in the header of every volsh database. */
    static final int APPLICATION = 0x766f6c6d;
    static final int FORMAT = 4;
    /** From this format on every value ends with a checksum. There was no format 2 here. */
    static final int SEALED = 3;
    /** From this format on long values have a table of their own, see {@link RowTable}. */
    static final int APART = 4;
    /** What that table is made with. */
    static final String TABLE_APART = "CREATE TABLE IF NOT EXISTS apart (n INTEGER PRIMARY KEY, v BLOB NOT NULL)";
    static final int PAGE_SIZE = 4096;
    private static final int PROBLEMS_MAX = 20;

    static DatabaseFile at(Path path) {
        return new DatabaseFile(path.toAbsolutePath().normalize());
    }

    /** Creates an empty database, mode 0600, that survives power loss. A crash leaves nothing of that name. */
    void create() throws IOException {
        requireUsablePlace();
        if (Files.exists(path)) {
            throw new FileAlreadyExistsException(path.toString(), null,
                    "the file already exists; a database is not created over it");
        }
        var draft = Files.createTempFile(directory(), "." + path.getFileName(), ".new",
                asFileAttribute(fromString("rw-------")));
        try {
            fill(draft);
            sync(draft);
            Files.createLink(path, draft);
        } finally {
            for (var suffix : new String[] {"", "-journal", "-wal", "-shm"}) {
                Files.deleteIfExists(draft.resolveSibling(draft.getFileName() + suffix));
            }
        }
        sync(directory());
    }

    private static void fill(Path draft) throws IOException {
        try (var connection = new SqliteConnections(draft).open(0); var statement = connection.createStatement()) {
            statement.execute("PRAGMA page_size = " + PAGE_SIZE);
            statement.execute("PRAGMA application_id = " + APPLICATION);
            statement.execute("PRAGMA user_version = " + FORMAT);
            statement.execute("CREATE TABLE kv (k BLOB PRIMARY KEY, v BLOB NOT NULL) WITHOUT ROWID");
            statement.execute(TABLE_APART);
            // Last: what went to a log before would be copied into the file on close, where a full disk is not
            // reported.
            statement.execute("PRAGMA journal_mode = WAL");
        } catch (SQLException failed) {
            throw SqliteFailures.of(draft, failed);
        }
    }

    /** Refuses what is clearly not a database before SQLite opens it. */
    void requireFile() throws IOException {
        requireUsablePlace();
        if (!Files.isRegularFile(path)) {
            throw new NoSuchFileException(path.toString(), null,
                    "no metadata database; check the path, or create the volume");
        }
        if (!Files.isWritable(path) || !Files.isWritable(directory())) {
            throw SqliteFailures.readOnly(path);
        }
        if (isTruncated()) {
            throw new MetaDamagedException(
                    "%s: metadata corrupt: the file is truncated or not a volsh database; restore it from a backup"
                            .formatted(path));
        }
    }

    /** Whether the file was clearly truncated. A log may have what the file lacks: then SQLite decides. */
    private boolean isTruncated() throws IOException {
        long size = Files.size(path);
        boolean logged = Files.exists(wal()) && Files.size(wal()) > 0;
        return size == 0 || size % PAGE_SIZE != 0 && !logged;
    }

    /**
     * Refuses a database that is not ours, from a newer version, or unreadable. Returns its format, which cannot change
     * while the connection is open: changing it needs exclusive access.
     */
    int requireOurs(Connection connection) throws IOException {
        try (var statement = connection.createStatement()) {
            requireFormat(connection);
            statement.execute("PRAGMA journal_mode = WAL");
            number(connection, "SELECT count(*) FROM (SELECT v FROM kv LIMIT 1)");
            return requireFormat(connection);
        } catch (SQLException failed) {
            throw SqliteFailures.of(path, failed);
        }
    }

    /** SQLite's check of its pages; {@code deep} also compares indexes and columns. Empty if they are consistent. */
    List<String> inspect(boolean deep) throws IOException {
        var found = new ArrayList<String>();
        try (var connection = new SqliteConnections(path).open(0);
                var statement = connection.createStatement();
                var rows = statement.executeQuery("PRAGMA %s(%d)".formatted(deep ? "integrity_check" : "quick_check",
                        PROBLEMS_MAX))) {
            while (rows.next()) {
                rows.getString(1).lines().filter(line -> !line.equals("ok") && !line.startsWith("***"))
                        .forEach(found::add);
            }
        } catch (SQLException failed) {
            var failure = SqliteFailures.of(path, failed);
            if (!(failure instanceof MetaDamagedException)) {
                throw failure;
            }
            found.add(failure.getMessage());
        }
        return found;
    }

    int requireFormat(Connection connection) throws IOException, SQLException {
        int application = number(connection, "PRAGMA application_id");
        int format = number(connection, "PRAGMA user_version");
        if (application != APPLICATION) {
            throw new MetaDamagedException("%s: this is a database of another program; choose another path"
                    .formatted(path));
        }
        if (format > FORMAT) {
            throw new IOException("%s: written by a newer volsh (format %d, supported up to %d); upgrade volsh"
                    .formatted(path, format, FORMAT));
        }
        return format;
    }

    private static int number(Connection connection, String query) throws SQLException {
        try (var statement = connection.createStatement(); var result = statement.executeQuery(query)) {
            return result.getInt(1);
        }
    }

    /** A system property for a test with its own file system that loses unsynced data. */
    static final String TRUSTED = "volsh.meta.trust-file-system";

    private void requireUsablePlace() throws IOException {
        if (!Files.isDirectory(directory())) {
            throw new NoSuchFileException(directory().toString(), null,
                    "no such directory; create it first (mode 0700)");
        }
        var type = Files.getFileStore(directory()).type();
        if (isShared(type) && !Boolean.getBoolean(TRUSTED)) {
            throw new IOException(("%s: file systems of type %s are not supported, "
                    + "because their locks are not reliable enough for SQLite;"
                    + " use a local disk, or PostgreSQL for a volume shared by machines").formatted(path, type));
        }
    }

    /** Whether files there may be changed behind the kernel's back, or its locks may not be visible to all machines. */
    static boolean isShared(String type) {
        return type.startsWith("fuse") || switch (type) {
            case "nfs", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "9p", "v9fs", "afs", "ceph", "lustre",
                    "glusterfs", "gfs2", "ocfs2", "gpfs", "beegfs", "virtiofs", "vboxsf", "prl_fs", "davfs", "ncpfs",
                    "coda" -> true;
            default -> false;
        };
    }

    Path directory() {
        return Objects.requireNonNull(path.getParent());
    }

    /** The write-ahead log beside it. */
    Path wal() {
        return path.resolveSibling(path.getFileName() + "-wal");
    }

    /** The index of the log, which SQLite keeps in shared memory. */
    Path index() {
        return path.resolveSibling(path.getFileName() + "-shm");
    }

    /** Records how much of the log was synced: {@link LogTip}. */
    Path tip() {
        return path.resolveSibling(path.getFileName() + "-tip");
    }

    /** Makes the file, or the names in the directory, survive power loss. An interrupt would close a FileChannel. */
    static void sync(Path file) throws IOException {
        try (var channel = AsynchronousFileChannel.open(file, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
