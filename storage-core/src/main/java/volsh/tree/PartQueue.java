package volsh.tree;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Workers for files and for parts of files. A worker that has opened a large file offers its parts; idle workers take
 * them before they take further files, so that few files are open at once. Files wait in a bounded queue. The first
 * failure ends everything, and {@link #finish} throws it.
 */
final class PartQueue implements AutoCloseable {
    private static final int PATIENCE_SECONDS = 2;

    private final int workers;
    private final Deque<Work> files = new ArrayDeque<>();    // guarded by this, as all below
    private final Deque<Parts> offers = new ArrayDeque<>();
    private final List<Thread> threads = new ArrayList<>();
    private final CountDownLatch ended;
    private boolean complete;
    private int busy;
    private @Nullable Throwable failure;

    /** Something to do. */
    interface Work {
        void run() throws IOException;
    }

    /** A part of a file. */
    interface PartWork {
        void run(int part) throws IOException;
    }

    private static final class Parts {
        final int count;
        final PartWork work;
        int next;
        int done;
        @Nullable IOException failed;

        Parts(int count, PartWork work) {
            this.count = count;
            this.work = work;
        }
    }

    PartQueue(int workers) {
        this.workers = workers;
        this.ended = new CountDownLatch(workers);
        for (int i = 0; i < workers; i++) {
            threads.add(Thread.ofPlatform().daemon().name("copy-" + i).start(this::work));
        }
    }

    /** Waits while the queue is full. @throws IOException if something failed */
    synchronized void submit(Work file) throws IOException {
        while (files.size() >= 2 * workers && failure == null) {
            await();
        }
        rethrow();
        files.add(file);
        notifyAll();
    }

    /**
     * Runs all parts of a file, with the help of idle workers; returns when all have run, and throws the first failure
     * of one. The parts behind it are dropped.
     */
    void runAll(int count, PartWork work) throws IOException {
        var parts = new Parts(count, work);
        synchronized (this) {
            offers.add(parts);
            notifyAll();
        }
        for (int part = take(parts); part >= 0; part = take(parts)) {
            run(parts, part);
        }
        synchronized (this) {
            while (parts.done < parts.next) {
                await();
            }
            if (parts.failed != null) {
                throw parts.failed;
            }
            if (parts.next < count) {
                throw new InterruptedIOException("cancelled");
            }
        }
    }

    private synchronized int take(Parts parts) {
        boolean over = parts.next == parts.count || parts.failed != null || failure != null;
        if (over) {
            offers.remove(parts);
            return -1;
        }
        return parts.next++;
    }

    private void run(Parts parts, int part) {
        IOException failed = null;
        try {
            parts.work.run(part);
        } catch (IOException wrong) {
            failed = wrong;
        } catch (RuntimeException | Error wrong) {
            failed = new IOException(wrong);
        }
        synchronized (this) {
            parts.failed = parts.failed == null ? failed : parts.failed;
            parts.done++;
            notifyAll();
        }
    }

    private void work() {
        try {
            while (step()) {
                // until all is done
            }
        } finally {
            ended.countDown();
        }
    }

    /** Does one thing; false when nothing will come. */
    private boolean step() {
        Parts parts;
        int part = -1;
        Work file = null;
        synchronized (this) {
            while (true) {
                if (failure != null) {
                    return false;
                }
                parts = offers.peek();
                if (parts != null) {
                    part = take(parts);
                    if (part >= 0) {
                        break;
                    }
                    continue;
                }
                file = files.poll();
                if (file != null) {
                    busy++;
                    notifyAll();
                    break;
                }
                if (complete && busy == 0) {
                    notifyAll();
                    return false;
                }
                if (!patientWait()) {
                    return false;
                }
            }
        }
        if (parts != null && part >= 0) {
            run(parts, part);
        } else if (file != null) {
            runFile(file);
        }
        return true;
    }

    private void runFile(Work file) {
        Throwable failed = null;
        try {
            file.run();
        } catch (IOException | RuntimeException | Error wrong) {
            failed = wrong;
        }
        synchronized (this) {
            busy--;
            failure = failure == null ? failed : failure;
            notifyAll();
        }
    }

    private synchronized void await() throws InterruptedIOException {
        if (!patientWait()) {
            throw new InterruptedIOException("cancelled");
        }
    }

    @SuppressWarnings("WaitNotInLoop")   // all callers are loops
    private synchronized boolean patientWait() {
        try {
            wait();
            return true;
        } catch (InterruptedException stop) {
            failure = failure == null ? new InterruptedIOException("cancelled") : failure;
            Thread.currentThread().interrupt();
            notifyAll();
            return false;
        }
    }

    /** Returns when all files are done. @throws IOException the first failure */
    void finish() throws IOException {
        synchronized (this) {
            complete = true;
            notifyAll();
        }
        try {
            ended.await();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("cancelled");
        }
        synchronized (this) {
            rethrow();
        }
    }

    private synchronized void rethrow() throws IOException {
        switch (failure) {
            case null -> { }
            case IOException failed -> throw failed;
            case RuntimeException failed -> throw failed;
            case Error failed -> throw failed;
            case Throwable other -> throw new IOException(other);
        }
    }

    /** Drops files that have not begun; what runs gets a moment to stop, and is then interrupted. */
    @Override
    public void close() {
        synchronized (this) {
            failure = failure == null ? new InterruptedIOException("cancelled") : failure;
            notifyAll();
        }
        boolean interrupted = Thread.interrupted();
        try {
            if (interrupted || !ended.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                threads.forEach(Thread::interrupt);
                ended.await();
            }
        } catch (InterruptedException again) {
            threads.forEach(Thread::interrupt);
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
