package volsh.bucketfs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import volsh.bucketfs.DirectoryStream.Position;
import volsh.bucketfs.ObjectFrames.Content;

/**
 * Works ahead of programs that walk: lists the next directories, and reads the next small files, of one whose entries
 * are used in the order of its listing. Failures are met again by the program itself. Thread-safe.
 */
final class WalkAhead {
    private static final int AHEAD_MAX = 8;
    private static final int PARENTS_MAX = 32;
    private static final int PAGES_MAX = 2;
    /** Larger files are read ahead once they are open. */
    private static final long SMALL = 256 << 10;

    private final BucketFileSystem files;
    private final Semaphore permits = new Semaphore(AHEAD_MAX);
    private final Map<String, WalkOrder> directories = parents();
    private final Map<String, WalkOrder> objects = parents();
    private final Map<String, FutureTask<Boolean>> listings = new ConcurrentHashMap<>();   // under way

    WalkAhead(BucketFileSystem files) {
        this.files = files;
    }

    private static Map<String, WalkOrder> parents() {
        return new LinkedHashMap<>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, WalkOrder> eldest) {
                return size() > PARENTS_MAX;
            }
        };
    }

    /** A directory is about to be listed: waits if that is done already. */
    void lists(BucketNode directory) throws IOException {
        if (directory.isRoot()) {
            return;
        }
        String parent = directory.parentPrefix();
        order(directories, parent, DirectoryItem::isDirectory).ifPresent(order -> {
            synchronized (order) {
                order.used(directory.name, item -> list(parent + item.segment() + "/"));
            }
        });
        var running = listings.get(directory.prefix());
        if (running != null) {
            try {
                running.get();
            } catch (ExecutionException later) {
                // it is listed again
            } catch (InterruptedException stop) {
                throw Failures.interrupted();
            }
        }
    }

    /** A file is about to be read from its beginning. */
    void reads(BucketNode file) {
        var state = file.state;
        if (file.gone || state == null || state.size() > SMALL || !files.frames().isOn()) {
            return;
        }
        String parent = file.parentPrefix();
        order(objects, parent, WalkAhead::isSmall).ifPresent(order -> {
            synchronized (order) {
                order.used(file.name, item -> read(parent + item.segment(), item.state()));
            }
        });
    }

    private static boolean isSmall(DirectoryItem item) {
        var state = item.state();
        return state != null && state.size() > 0 && state.size() <= SMALL;
    }

    /** The order of a directory whose listing is known, of which this is not the first entry that is used. */
    private Optional<WalkOrder> order(Map<String, WalkOrder> orders, String parent, Predicate<DirectoryItem> kind) {
        synchronized (orders) {
            long listed = files.names().listedSince(parent);
            var order = orders.get(parent);
            if (listed == NameCache.NEVER || order == null && orders.put(parent, WalkOrder.UNKNOWN) == null) {
                return Optional.empty();
            }
            if (order == null || order.since() != listed) {
                var listing = files.names().listing(parent);
                order = listing == null ? WalkOrder.UNKNOWN
                        : new WalkOrder(listed, listing.items().stream().filter(kind).toList());
                orders.put(parent, order);
            }
            return Optional.of(order);
        }
    }

    /** False if too many requests are under way. */
    private boolean list(String prefix) {
        if (files.names().listedSince(prefix) != NameCache.NEVER) {
            return true;
        }
        if (!permits.tryAcquire()) {
            return false;
        }
        var task = new FutureTask<>(() -> {
            try {
                listed(prefix);
            } finally {
                listings.remove(prefix);
                permits.release();
            }
            return true;
        });
        if (listings.putIfAbsent(prefix, task) == null) {
            Thread.ofVirtual().name("bucket-list").start(task);
        } else {
            permits.release();
        }
        return true;
    }

    /** Lists a directory, unless it is large. */
    private void listed(String prefix) throws IOException {
        var names = files.names();
        long since = names.now();
        long changes = names.changes(prefix);
        var items = new ArrayList<DirectoryItem>();
        var stream = files.stream(prefix, Position.START);
        for (int page = 0; page < PAGES_MAX && !stream.isAtEnd(); page++) {
            items.addAll(stream.page());
        }
        if (stream.isAtEnd()) {
            names.listed(prefix, items, since, changes);
        }
    }

    /** False if too many requests are under way. */
    private boolean read(String key, @Nullable ObjectState state) {
        if (state == null || !permits.tryAcquire()) {
            return false;
        }
        Thread.ofVirtual().name("bucket-ahead").start(() -> {
            try {
                files.frames().ahead(Content.of(key, state), 0, state.size());
            } catch (IOException later) {
                // the reader meets it by itself
            } finally {
                permits.release();
            }
        });
        return true;
    }
}
