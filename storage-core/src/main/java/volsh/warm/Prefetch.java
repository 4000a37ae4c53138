package volsh.warm;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import volsh.chunk.Caches;
import volsh.fs.Attributes;
import volsh.fs.FsException;
import volsh.vfs.Paths;
import volsh.vfs.Vfs;

/**
 * Loads files ahead of a reader that reads them in a known order. The position of the reader is the furthest file of
 * the list that was opened; readers that share the list may be a bit behind it. A file that is opened before it was
 * loaded is left to its reader.
 *
 * <pre>
 *      done       │ opened ... │ loaded, or being loaded │ known by inode │ names to come
 *                              ▲ the reader              ▲ + ahead        ▲ + 2 x ahead
 * </pre>
 *
 * <p>When the next file does not fit, its thread waits until the reader has opened another one.
 */
public final class Prefetch implements Undertaking {
    public static final int AHEAD_MAX = 10_000;
    private static final int THREADS_MAX = 8;
    private static final long MEMORY = 40 << 20;
    private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Vfs vfs;
    private final Caches caches;
    private final int ahead;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<Entry> waiting = new ArrayDeque<>();
    private final Map<Long, Deque<Entry>> known = new HashMap<>();
    private long listed;
    private long position;
    private long loaded;
    private long late;
    private long missing;
    private boolean complete;
    private boolean cancelled;
    private boolean over;

    /** A file of the list that exists. */
    private record Entry(long number, Attributes file) {}

    /** Keeps {@code ahead} files loaded. */
    public Prefetch(Vfs vfs, Caches caches, int ahead) {
        if (ahead < 1 || ahead > AHEAD_MAX) {
            throw new IllegalArgumentException("%d files ahead: at least 1, at most %d".formatted(ahead, AHEAD_MAX));
        }
        this.vfs = vfs;
        this.caches = caches;
        this.ahead = ahead;
    }

    // ---- the list

    /** Adds names in the order in which they will be read: paths within the volume. */
    public void add(List<String> names) throws IOException {
        var found = new ArrayList<Attributes>();
        for (var name : names) {
            found.add(find(name));
        }
        lock.lock();
        try {
            for (var file : found) {
                add(file);
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** The file of this name; null if there is none. */
    private @Nullable Attributes find(String name) throws IOException {
        try {
            var file = new Paths(vfs).resolve(name.startsWith("/") ? name : "/" + name);
            return file.isRegular() ? file : null;
        } catch (FsException nowhere) {
            return null;
        }
    }

    private void add(Attributes file) {
        if (file == null) {
            missing++;
        } else {
            var entry = new Entry(listed, file);
            waiting.add(entry);
            known.computeIfAbsent(file.ino(), first -> new ArrayDeque<>()).add(entry);
        }
        listed++;
    }

    /** No more names come. */
    public void complete() {
        lock.lock();
        try {
            complete = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    // ---- the reader

    private void opened(long ino) {
        lock.lock();
        try {
            var entries = known.get(ino);
            if (entries == null) {
                return;
            }
            position = Math.max(position, entries.poll().number() + 1);
            if (entries.isEmpty()) {
                known.remove(ino);
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    // ---- loading

    @Override
    public void run() {
        var threads = new ArrayList<Thread>();
        try (var _ = vfs.openFiles().onOpen(this::opened); var tier = caches.load(MEMORY)) {
            var load = new FileLoad(vfs, caches, tier);
            for (int i = 0; i < Math.min(ahead, THREADS_MAX); i++) {
                threads.add(Thread.ofPlatform().daemon().name("prefetch-" + i).start(() -> loadAll(load)));
            }
            for (var thread : threads) {
                thread.join();
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        } finally {
            finish();
        }
    }

    private void finish() {
        lock.lock();
        try {
            over = true;
        } finally {
            lock.unlock();
        }
    }

    private void loadAll(FileLoad load) {
        try {
            for (var entry = next(); entry != null; entry = next()) {
                load(load, entry);
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    /** The next file to load, when it is near enough; null at the end. */
    private @Nullable Entry next() throws InterruptedException {
        lock.lock();
        try {
            while (!cancelled) {
                var first = waiting.peek();
                if (first != null && first.number() < position) {
                    waiting.remove();
                    late++;
                } else if (first != null && first.number() < position + ahead) {
                    return waiting.remove();
                } else if (first == null && complete) {
                    return null;
                } else {
                    changed.await();
                }
            }
            return null;
        } finally {
            lock.unlock();
        }
    }

    /** Loads the file. A failure is left to its reader to meet. */
    private void load(FileLoad load, Entry entry) throws InterruptedException {
        boolean done = false;
        try {
            while (!done && isWorthwhile(entry)) {
                done = load.load(entry.file());
                if (!done) {
                    awaitReader();
                }
            }
        } catch (IOException | RuntimeException failed) {
            done = true;
        }
        lock.lock();
        try {
            loaded += done ? 1 : 0;
            late += done ? 0 : 1;
        } finally {
            lock.unlock();
        }
    }

    private boolean isWorthwhile(Entry entry) {
        lock.lock();
        try {
            return !cancelled && entry.number() >= position;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until the reader opened another file, or for a moment, as space may have become free otherwise. */
    private void awaitReader() throws InterruptedException {
        lock.lock();
        try {
            long seen = position;
            for (long left = LOOK_AGAIN_NANOS; left > 0 && position == seen && !cancelled; ) {
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void cancel() {
        lock.lock();
        try {
            cancelled = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isOver() {
        return status().over();
    }

    @Override
    public String about() {
        var status = status();
        return "prefetch: %d of %d names opened".formatted(status.opened(), status.listed());
    }

    public PrefetchStatus status() {
        lock.lock();
        try {
            int wanted = complete || cancelled ? 0 : (int) Math.max(0, position + 2L * ahead - listed);
            return new PrefetchStatus(over, listed, position, loaded, late, missing, wanted);
        } finally {
            lock.unlock();
        }
    }
}
