package volsh.engine.sqlite;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentLinkedDeque;

/**
 * The connections that read and write rows, the most recently used first: its cache holds what was written last, which
 * every other connection has to fetch again after each commit. A single thread at a time uses a single connection.
 * There are as many as are used at once: a reader never waits for the writer, nor the writer for a reader.
 */
final class Tables implements AutoCloseable {
    private final SqliteConnections connections;
    private final int format;
    private final SqliteLimits limits;
    private final ConcurrentLinkedDeque<RowTable> idle = new ConcurrentLinkedDeque<>();

    Tables(SqliteConnections connections, int format, SqliteLimits limits) {
        this.connections = connections;
        this.format = format;
        this.limits = limits;
    }

    Path path() {
        return connections.path();
    }

    /** For exclusive use by this thread, until it is given back or closed. */
    RowTable take() throws IOException {
        var table = idle.pollFirst();
        return table != null ? table : new RowTable(connections.path(), connections.open(0), format, limits.busyMax());
    }

    void giveBack(RowTable table) {
        idle.addFirst(table);
    }

    /** How many frames of the log are committed. */
    int committedFrames() throws IOException {
        return (int) ask(RowTable::committedFrames);
    }

    /** How many pages of the database are free. */
    long freePages() throws IOException {
        return ask(RowTable::freePages);
    }

    private interface Question {
        long ask(RowTable table) throws IOException;
    }

    private long ask(Question question) throws IOException {
        var table = take();
        long answer;
        try {
            answer = question.ask(table);
        } catch (IOException failed) {
            try (table) {
                throw failed;
            }
        }
        giveBack(table);
        return answer;
    }

    /** Closes those that have been given back. */
    @Override
    public void close() throws IOException {
        for (var table = idle.pollFirst(); table != null; table = idle.pollFirst()) {
            table.close();
        }
    }
}
