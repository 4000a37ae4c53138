package volsh.engine.sqlite;

import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import volsh.engine.BufferedTransaction;
import volsh.engine.MetaEngine.Work;
import volsh.engine.Outcome;

/** A transaction on its way through the writer. Its caller gets the result once the commit is decided. */
final class Submission<R extends @Nullable Object> {
    private final Work<R> work;
    private final long deadlineNanos;
    private final Purpose purpose;
    private final CompletableFuture<Outcome<R>> settled = new CompletableFuture<>();
    private @Nullable Outcome<R> outcome;   // of the last run

    Submission(Work<R> work, long deadlineNanos, Purpose purpose) {
        this.purpose = purpose;
        this.work = work;
        this.deadlineNanos = deadlineNanos;
    }

    /**
     * Runs the work and writes its rows, to be committed or rolled back by the caller. Returns about how many bytes
     * this adds to the log.
     *
     * @throws IOException if the database failed, as opposed to the work
     */
    long run(RowTable table) throws IOException {
        var transaction = BufferedTransaction.writing(table);
        var ended = transaction.run(work);
        outcome = ended;
        long bytes = ended.hasReturned() ? write(transaction, table) : 0;
        table.requireSound();
        return bytes;
    }

    private long write(BufferedTransaction transaction, RowTable table) {
        try {
            var rows = transaction.rows(table);
            table.write(rows);
            return rows.stream().mapToLong(Submission::bytes).sum();
        } catch (IOException | RuntimeException refused) {
            outcome = Outcome.threw(refused);
            return 0;
        }
    }

    /** At least a page, which may hold other rows, too. */
    private static long bytes(BufferedTransaction.Row row) {
        return (long) DatabaseFile.PAGE_SIZE + (row.value() == null ? 0 : row.value().length);
    }

    /** The commit succeeded: delivers the outcome of the last run. */
    void tell() {
        settled.complete(Objects.requireNonNull(outcome));
    }

    void fail(Throwable failure) {
        settled.complete(Outcome.threw(failure));
    }

    Purpose purpose() {
        return purpose;
    }

    boolean isExpired() {
        return System.nanoTime() - deadlineNanos > 0;
    }

    /** Waits, also when interrupted: the fate of a transaction is never left open. */
    R await() throws IOException {
        return settled.join().result();
    }
}
