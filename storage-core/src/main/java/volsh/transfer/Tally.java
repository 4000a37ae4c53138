package volsh.transfer;

import java.io.InterruptedIOException;
import java.util.concurrent.atomic.LongAdder;

/** Counts what a transfer does and tells its observer. */
final class Tally {
    private final Observer observer;
    private final LongAdder files = new LongAdder();
    private final LongAdder directories = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private final LongAdder failed = new LongAdder();

    Tally(Observer observer) {
        this.observer = observer;
    }

    void found(long size) {
        observer.found(1, size);
    }

    void bytes(long count) {
        bytes.add(count);
        observer.done(0, count);
    }

    void file() {
        files.increment();
        observer.done(1, 0);
    }

    void directory() {
        directories.increment();
    }

    void failed(String path, String reason) {
        failed.increment();
        observer.failed(path, reason);
    }

    void failed(String path, Exception reason) {
        failed(path, LocalFiles.reason(reason));
    }

    /** @throws InterruptedIOException if the transfer is to stop */
    void check() throws InterruptedIOException {
        if (observer.cancelled() || Thread.currentThread().isInterrupted()) {
            throw new InterruptedIOException("cancelled");
        }
    }

    Summary summary() {
        return new Summary(files.sum(), directories.sum(), bytes.sum(), failed.sum());
    }
}
