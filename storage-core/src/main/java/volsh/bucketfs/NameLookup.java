package volsh.bucketfs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;
import volsh.bucketfs.DirectoryStream.Position;
import volsh.bucketfs.NameCache.Known;
import volsh.object.NoSuchObjectException;
import volsh.object.ObjectQuery;
import volsh.object.ObjectStore;

/** Finds out what a name stands for: from what is known, or by asking for the object and for keys below it, at once. */
final class NameLookup {
    /** Pages of a listing in which a part of a key is looked for that is too long for a name. */
    private static final int LONG_PAGES = 20;

    /** After this many lookups that had to ask, listing the directory pays, once in a while. */
    private static final int LOOKUPS = 4;
    private static final int DIRECTORIES_MAX = 1000;

    private final Map<String, Integer> asked = new ConcurrentHashMap<>();   // lookups by directory since the listing
    private final ObjectStore store;
    private final NameCache names;
    private final boolean needsMetadata;

    NameLookup(ObjectStore store, NameCache names, boolean needsMetadata) {
        this.store = store;
        this.names = names;
        this.needsMetadata = needsMetadata;
    }

    /** What is known of a name, asked for if necessary. */
    Known find(String prefix, String name) throws IOException {
        var known = names.find(prefix, name);
        if (known != null && (!needsMetadata || hasMetadata(known.item()))) {
            return known;
        }
        if (!needsMetadata && names.remembers() && asked.merge(prefix, 1, Integer::sum) == LOOKUPS) {
            Thread.ofVirtual().name("bucket-list").start(() -> listAll(prefix));
        }
        return ask(prefix, name);
    }

    /** Lists a directory of which many names are asked for, unless it is too large to be remembered. */
    private void listAll(String prefix) {
        long since = names.now();
        long changes = names.changes(prefix);
        var items = new ArrayList<DirectoryItem>();
        try {
            var stream = new DirectoryStream(store, prefix, Position.START);
            while (!stream.isAtEnd() && items.size() <= NameCache.DIRECTORY_MAX) {
                items.addAll(stream.page());
            }
            names.listed(prefix, items, since, changes);
            if (items.size() <= NameCache.DIRECTORY_MAX || asked.size() > DIRECTORIES_MAX) {
                asked.remove(prefix);   // a directory that is too large is not tried again
            }
        } catch (IOException later) {
            asked.remove(prefix);
        }
    }

    private static boolean hasMetadata(@Nullable DirectoryItem item) {
        return item == null || item.state() == null || item.state().metadata() != null;
    }

    /** What the bucket says of it now. */
    Known ask(String prefix, String name) throws IOException {
        long since = names.now();
        var item = look(prefix, name);
        names.found(prefix, name, item, since);
        return new Known(item, since);
    }

    private @Nullable DirectoryItem look(String prefix, String name) throws IOException {
        var parsed = SegmentName.parse(name);
        if (parsed.isEmpty()) {
            return null;
        }
        var segment = parsed.get().segment() != null ? Optional.of(parsed.get().segment())
                : longSegment(prefix, parsed.get());
        return segment.isEmpty() ? null : look(prefix, segment.get(), parsed.get().object());
    }

    private @Nullable DirectoryItem look(String prefix, String segment, boolean asObject) throws IOException {
        String key = prefix + segment;
        var below = new FutureTask<>(() -> isDirectory(key + "/"));
        Thread.ofVirtual().name("bucket-look").start(below);
        var object = head(key, segment.isEmpty());
        boolean directory = await(below);
        if (directory && !asObject) {
            return DirectoryItem.directory(segment);
        }
        return object == null || asObject != directory ? null : DirectoryItem.file(segment, asObject, object);
    }

    /** The object; null if there is none, or an empty one that stands for a directory. */
    @Nullable ObjectState head(String key, boolean marker) throws IOException {
        if (key.isEmpty()) {
            return null;
        }
        try {
            var info = store.head(key);
            return marker && info.size() == 0 ? null : ObjectState.of(info);
        } catch (NoSuchObjectException none) {
            return null;
        }
    }

    /** Whether there are keys that begin like this. */
    boolean isDirectory(String prefix) throws IOException {
        var page = store.list(new ObjectQuery(prefix, false, "", 1));
        return !page.objects().isEmpty() || !page.prefixes().isEmpty() || page.next().isPresent();
    }

    private static boolean await(FutureTask<Boolean> asked) throws IOException {
        try {
            return asked.get();
        } catch (ExecutionException failed) {
            throw Failures.of(failed.getCause());
        } catch (InterruptedException stopped) {
            throw Failures.interrupted();
        }
    }

    private Optional<String> longSegment(String prefix, SegmentName name) throws IOException {
        var stream = new DirectoryStream(store, prefix, Position.from(prefix + name.beginning()));
        for (int pages = 0; pages < LONG_PAGES && !stream.isAtEnd(); pages++) {
            for (var item : stream.page()) {
                if (name.isOf(item.segment())) {
                    return Optional.of(item.segment());
                }
                if (!item.segment().startsWith(name.beginning())) {
                    return Optional.empty();
                }
            }
        }
        return Optional.empty();
    }
}
