package volsh.transfer;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import volsh.fs.FsException;

/** Counts what a transfer does and tells its observer. */
public final class TransferTally {
    private final Observer observer;
    private final LongAdder files = new LongAdder();
    private final LongAdder directories = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder skipped = new LongAdder();
    private final Map<String, Long> unkept = new ConcurrentHashMap<>();

    public TransferTally(Observer observer) {
        this.observer = observer;
    }

    /** Counts bytes of a file that were copied. */
    public void moved(long count) {
        observer.done(0, count);
    }

    /** Counts a file that is whole and in its place. */
    public void file(long size) {
        files.increment();
        bytes.add(size);
        observer.done(1, 0);
    }

    /** Counts a file whose copy is up to date. */
    public void skipped(long size) {
        skipped.increment();
        observer.skipped(size);
    }

    public void directory() {
        directories.increment();
    }

    /** Counts a copy that lacks this of the original. */
    void unkept(String kind) {
        unkept.merge(kind, 1L, Long::sum);
    }

    public void failed(String path, IOException reason) {
        failed.increment();
        observer.failed(path, reason);
    }

    /** Counts a refusal that concerns this file alone; throws any other, as the next file would meet it, too. */
    public void refused(String path, FsException refusal) throws FsException {
        switch (refusal.error()) {
            case NO_ENTRY, EXISTS, IS_DIRECTORY, NOT_DIRECTORY, NAME_TOO_LONG, INVALID, FILE_TOO_BIG, TOO_MANY_LINKS,
                    NOT_SUPPORTED -> failed(path, refusal);
            default -> throw refusal;
        }
    }

    /** @throws InterruptedIOException if the transfer is to stop */
    public void check() throws InterruptedIOException {
        if (observer.cancelled() || Thread.currentThread().isInterrupted()) {
            throw new InterruptedIOException("cancelled");
        }
    }

    public Summary summary() {
        return new Summary(files.sum(), directories.sum(), bytes.sum(), failed.sum(), skipped.sum(), unkept);
    }
}
