package volsh.bucketfs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;
import volsh.object.KeyOrdering;
import volsh.object.ObjectInfo;
import volsh.object.ObjectPage;
import volsh.object.ObjectQuery;
import volsh.object.ObjectStore;

/**
 * The entries of a directory, page by page, however many there are. Whether an object {@code a} is shown as {@code a}
 * is known once the listing is past {@code a/}, so a few objects wait for that. The next page is requested while the
 * last one is used. For one thread at a time.
 */
final class DirectoryStream {
    private final ObjectStore store;
    private final String prefix;
    private final List<ObjectInfo> waiting = new ArrayList<>();
    private Optional<String> after;
    private @Nullable FutureTask<ObjectPage> next;   // null unless it is requested
    private long pageBegan;

    /** Where a stream can be continued. */
    record Position(Optional<String> after, List<ObjectInfo> waiting) {
        static final Position START = new Position(Optional.of(""), List.of());

        /** Behind this key. */
        static Position from(String key) {
            return new Position(Optional.of(key), List.of());
        }
    }

    DirectoryStream(ObjectStore store, String prefix, Position from) {
        this.store = store;
        this.prefix = prefix;
        this.after = from.after;
        this.waiting.addAll(from.waiting);
    }

    Position position() {
        return new Position(after, List.copyOf(waiting));
    }

    boolean isAtEnd() {
        return after.isEmpty() && waiting.isEmpty();
    }

    /** When the last page was requested, by {@link System#nanoTime}. */
    long pageBegan() {
        return pageBegan;
    }

    /** The next entries; none at the end. */
    List<DirectoryItem> page() throws IOException {
        var items = new ArrayList<DirectoryItem>();
        while (items.isEmpty() && !isAtEnd()) {
            var page = fetch();
            page.ifPresent(each -> take(each, items));
            if (after.isEmpty()) {
                release(null, items);
            }
        }
        return items;
    }

    private Optional<ObjectPage> fetch() throws IOException {
        if (after.isEmpty()) {
            return Optional.empty();
        }
        var asked = next != null ? next : request(after.get());
        next = null;
        pageBegan = System.nanoTime();
        var page = await(asked);
        after = page.next();
        after.ifPresent(text -> next = request(text));
        return Optional.of(page);
    }

    private FutureTask<ObjectPage> request(String from) {
        var task = new FutureTask<>(() -> store.list(ObjectQuery.directory(prefix).following(from)));
        Thread.ofVirtual().name("bucket-list").start(task);
        return task;
    }

    private static ObjectPage await(FutureTask<ObjectPage> asked) throws IOException {
        try {
            return asked.get();
        } catch (ExecutionException failed) {
            throw Failures.of(failed.getCause());
        } catch (InterruptedException stopped) {
            throw Failures.interrupted();
        }
    }

    /** Objects and prefixes are in order, each by themselves. */
    private void take(ObjectPage page, List<DirectoryItem> items) {
        int object = 0;
        int group = 0;
        while (object < page.objects().size() || group < page.prefixes().size()) {
            boolean takesObject = group == page.prefixes().size() || object < page.objects().size()
                    && KeyOrdering.BYTES.compare(page.objects().get(object).key(), page.prefixes().get(group)) <= 0;
            if (takesObject) {
                var info = page.objects().get(object++);
                release(info.key(), items);
                if (!isMarker(info)) {
                    waiting.add(info);
                }
            } else {
                String found = page.prefixes().get(group++);
                release(found, items);
                items.add(DirectoryItem.directory(found.substring(prefix.length(), found.length() - 1)));
            }
        }
    }

    /** An empty object that stands for this directory itself. */
    private boolean isMarker(ObjectInfo info) {
        return info.key().equals(prefix) && info.size() == 0;
    }

    /** Shows the waiting objects whose names are known when the listing has come to this key; null is its end. */
    private void release(@Nullable String key, List<DirectoryItem> items) {
        for (var each = waiting.iterator(); each.hasNext();) {
            var info = each.next();
            int order = key == null ? 1 : KeyOrdering.BYTES.compare(key, info.key() + "/");
            if (order >= 0) {
                items.add(DirectoryItem.file(info.key().substring(prefix.length()), order == 0,
                        ObjectState.listed(info)));
                each.remove();
            }
        }
    }
}
