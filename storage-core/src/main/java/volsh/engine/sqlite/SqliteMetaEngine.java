package volsh.engine.sqlite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConfig;
import volsh.engine.MetaEngine;
import volsh.engine.StateMark;
import volsh.fs.NoSpaceException;

/**
 * Metadata in one SQLite database file on a local disk, usable by several processes.
 *
 * <p>The database is in write-ahead-log mode. The {@link Writer} commits transactions, several at a time, without
 * waiting for the disk; {@link Readers} see the last commit and never wait for it; {@link #sync} flushes the log
 * beside them; a {@link Checkpointer} keeps the log short. A work may be run by another thread than its caller's.
 */
public final class SqliteMetaEngine implements MetaEngine {
    private final DatabaseFile file;
    private final EngineHealth health;
    private final PlatformThreads threads;
    private final Checkpointer checkpointer;
    private final Tables tables;
    private final Writer writer;
    private final SpaceReserve reserve;
    private final SpaceBudget budget;
    private final Readers readers;
    private final WalSync walSync;
    private boolean lent;   // something of the reserve

    private SqliteMetaEngine(DatabaseFile file, Connection connection, int format, SqliteLimits limits) {
        this.file = file;
        var connections = new SqliteConnections(file.path());
        health = new EngineHealth(file.path());
        threads = new PlatformThreads(limits.readers());
        reserve = new SpaceReserve(file.path());
        budget = new SpaceBudget(file, reserve, limits);
        checkpointer = new Checkpointer(file.path(), connection, budget, reserve, health);
        tables = new Tables(connections, format, limits);
        writer = new Writer(tables, limits, health, checkpointer, budget, reserve);
        readers = new Readers(tables, limits, health, new SharedLogHeader(file.index()));
        var tips = new TipWriter(file, tables);
        tips.opened();
        walSync = new WalSync(file, health, threads, tips);
    }

    /** Loads the driver and its library, which takes 20 ms: for callers that can do something else meanwhile. */
    public static void loadDriver() {
        try {
            new SQLiteConfig().createConnection("jdbc:sqlite::memory:").close();
        } catch (SQLException later) {
            // the next open reports it
        }
    }

    /**
     * Creates an empty database, mode 0600, in an existing directory, and opens it. After a crash it exists completely
     * or not at all.
     *
     * @throws java.nio.file.FileAlreadyExistsException if the name is taken
     * @throws IOException also if the directory is missing or on a network file system
     */
    public static SqliteMetaEngine create(Path path) throws IOException {
        DatabaseFile.at(path).create();
        return open(path);
    }

    /**
     * Opens a database.
     *
     * @throws java.nio.file.NoSuchFileException if there is none
     * @throws IOException also if the file is damaged, not ours, written by a newer version, not writable, or on a
     *     network file system: the message says which and what to do
     */
    public static SqliteMetaEngine open(Path path) throws IOException {
        return open(path, SqliteLimits.standard());
    }

    /**
     * Keeps a copy of a log that {@link #open} refuses as damaged: from then on the database opens with what was
     * committed before the damage.
     *
     * @return the copy; empty if the log is not damaged
     */
    public static Optional<Path> setLogAside(Path path, String ending) throws IOException {
        return new LogGuard(DatabaseFile.at(path)).setAside(ending);
    }

    /** {@link #inspect(boolean)} for a file that cannot be opened. */
    public static List<String> inspect(Path path, boolean deep) throws IOException {
        var file = DatabaseFile.at(path);
        new LogGuard(file).requireWhole();
        return Files.exists(path) ? file.inspect(deep) : List.of();
    }

    /** Whether {@link #open} would refuse the log as damaged. */
    public static boolean hasDamagedLog(Path path) throws IOException {
        return new LogGuard(DatabaseFile.at(path)).isDamaged();
    }

    static SqliteMetaEngine open(Path path, SqliteLimits limits) throws IOException {
        var file = DatabaseFile.at(path);
        try {
            return open(file, limits);
        } catch (NoSpaceException full) {
            // SQLite creates files beside the database to open it: the reserve lends their space, for reading and
            // removing.
            var reserve = new SpaceReserve(file.path());
            if (!reserve.lend(SpaceReserve.LENT)) {
                throw full;
            }
            try {
                var engine = open(file, limits);
                engine.lent = true;
                return engine;
            } finally {
                reserve.takeBack();
            }
        }
    }

    private static SqliteMetaEngine open(DatabaseFile file, SqliteLimits limits) throws IOException {
        file.requireFile();
        new LogGuard(file).requireWhole();
        var connection = new SqliteConnections(file.path()).open((int) limits.emptyingMax().toMillis());
        try {
            int format = file.requireOurs(connection);
            if (format < DatabaseFile.FORMAT) {
                connection.close();
                new Conversion(file).run();
                connection = new SqliteConnections(file.path()).open((int) limits.emptyingMax().toMillis());
                format = file.requireOurs(connection);
            }
            return new SqliteMetaEngine(file, connection, format, limits);
        } catch (SQLException failed) {
            throw SqliteFailures.of(file.path(), failed);
        } catch (IOException | RuntimeException refused) {
            closeAfter(refused, connection);
            throw refused;
        }
    }

    private static void closeAfter(Exception refused, Connection connection) {
        try {
            connection.close();
        } catch (SQLException failed) {
            refused.addSuppressed(failed);
        }
    }

    @Override
    public <R extends @Nullable Object> R transact(Work<R> work) throws IOException {
        return writer.transact(work, Purpose.WRITE);
    }

    @Override
    public <R extends @Nullable Object> R transactFreeing(Work<R> work) throws IOException {
        return writer.transact(work, Purpose.FREE);
    }

    @Override
    public <R extends @Nullable Object> R transactRemoving(Work<R> work) throws IOException {
        return writer.transact(work, Purpose.REMOVE);
    }

    @Override
    public long reusableBytes() throws IOException {
        health.requireOpen();
        return threads.call(() -> tables.freePages() * DatabaseFile.PAGE_SIZE);
    }

    @Override
    public void keepReserve() {
        reserve.make();
    }

    @Override
    public <R extends @Nullable Object> R read(Work<R> work) throws IOException {
        health.requireOpen();
        return threads.call(() -> readers.read(work, false));
    }

    @Override
    public <R extends @Nullable Object> R survey(Work<R> work) throws IOException {
        health.requireOpen();
        return threads.call(() -> readers.read(work, true));
    }

    @Override
    public List<String> inspect(boolean deep) throws IOException {
        health.requireOpen();
        return threads.call(() -> file.inspect(deep));
    }

    @Override
    public void sync() throws IOException {
        walSync.sync();
    }

    @Override
    public @Nullable StateMark stateMark() throws IOException {
        return readers.mark();
    }

    /** Finishes running transactions, and copies the log into the database. */
    @Override
    public void close() throws IOException {
        if (health.close()) {
            try (threads; checkpointer; walSync; tables; readers; writer) {
                // Closed from the last to the first.
            } finally {
                if (lent) {
                    reserve.takeBack();
                }
            }
        }
    }
}
