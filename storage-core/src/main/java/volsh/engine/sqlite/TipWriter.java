package volsh.engine.sqlite;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;
import volsh.engine.sqlite.WriteAheadLog.Mark;

/**
 * Writes the {@link LogTip} of an open database after syncs: a small read, a query to SQLite and a small write, 6 us in
 * all, none of which waits for the disk. Of syncs in quick succession it records only some. A failure here is only
 * logged: an older tip promises less. Files are not {@code FileChannel}s, which an interrupt would close. Used by one
 * thread at a time.
 */
final class TipWriter implements AutoCloseable {
    private static final long PAUSE_NANOS = 10_000_000;

    private final DatabaseFile file;
    private final Tables tables;
    private @Nullable RandomAccessFile log;
    private @Nullable RandomAccessFile tip;
    private @Nullable LogTip written;
    private long syncedAt = System.nanoTime() - PAUSE_NANOS;
    private long salts;   // of the log when last read

    TipWriter(DatabaseFile file, Tables tables) {
        this.file = file;
        this.tables = tables;
    }

    private interface Step<R extends @Nullable Object> {
        R run() throws IOException;
    }

    private <R extends @Nullable Object> R attempt(R otherwise, Step<R> step) {
        try {
            return step.run();
        } catch (IOException failed) {
            System.getLogger(TipWriter.class.getName())
                    .log(Level.DEBUG, () -> "%s could not be updated".formatted(file.tip()), failed);
            return otherwise;
        }
    }

    /** The database is open: the tip now belongs to this process, unless another process uses the same files. */
    void opened() {
        attempt(null, () -> {
            var before = LogTip.read(file);
            if (before.isPresent() && before.get().isOf(file) && before.get().isInUse()) {
                return null;
            }
            write(LogTip.here(file, before.map(LogTip::mark).orElse(Mark.NONE)));
            return null;
        });
    }

    /** What a sync that begins now will make durable; empty if that need not be recorded. */
    Mark mark() {
        return System.nanoTime() - syncedAt < PAUSE_NANOS ? Mark.NONE : attempt(Mark.NONE, () -> {
            if (log == null) {
                log = new RandomAccessFile(file.wal().toFile(), "r");
            }
            var mark = marked(log);
            return mark.frames() > 0 ? mark : marked(log);   // a restarted log is recognized the second time
        });
    }

    /** The frames belong to a log whose salts were the same before and after they were counted. */
    private Mark marked(RandomAccessFile log) throws IOException {
        int frames = tables.committedFrames();
        long before = salts;
        salts = WriteAheadLog.salts(log);
        return salts == before ? new Mark(salts, frames) : Mark.NONE;
    }

    /** The sync succeeded. */
    void synced(Mark mark) {
        attempt(null, () -> {
            if (mark.frames() > 0 && (written == null || !written.mark().isSame(mark))) {
                write(written == null ? LogTip.here(file, mark) : written.with(mark));
                syncedAt = System.nanoTime();
            }
            return null;
        });
    }

    private void write(LogTip next) throws IOException {
        if (tip == null) {
            LogTip.make(file);
            tip = new RandomAccessFile(file.tip().toFile(), "rw");
        }
        tip.seek(0);
        tip.write(next.bytes());
        written = next;
    }

    /** This process no longer uses the database. */
    @Override
    public void close() throws IOException {
        attempt(null, () -> {
            var last = LogTip.read(file);
            if (last.isPresent() && last.get().isSameProcess(written)) {
                write(last.get().closed());
            }
            return null;
        });
        try (var _ = log; var _ = tip) {
            // those that were opened
        }
    }
}
