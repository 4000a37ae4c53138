package volsh.tree;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import volsh.object.ObjectInfo;
import volsh.object.ObjectPage;
import volsh.object.ObjectQuery;
import volsh.object.ObjectStore;

/** A listing of a bucket, one page at a time: flat, or of one level. */
final class BucketListing implements TreeCursor {
    private final ObjectStore store;
    private final String path;
    private final ObjectQuery query;
    private final Deque<TreeEntry> page = new ArrayDeque<>();
    private Optional<String> next = Optional.of("");

    BucketListing(ObjectStore store, String prefix, String path, boolean oneLevel) {
        this.store = store;
        this.path = path;
        this.query = oneLevel ? ObjectQuery.directory(prefix) : ObjectQuery.all(prefix);
    }

    @Override
    public @Nullable TreeEntry next() throws IOException {
        while (page.isEmpty()) {
            if (next.isEmpty()) {
                return null;
            }
            load(next.get());
        }
        return page.remove();
    }

    private void load(String after) throws IOException {
        ObjectPage found = store.list(after.isEmpty() ? query : query.following(after));
        var entries = new ArrayList<TreeEntry>();
        found.objects().stream().filter(object -> !object.key().equals(query.prefix())).map(this::entry)
                .forEach(entries::add);
        found.prefixes().forEach(each -> entries.add(
                BucketTree.directory(relative(each.substring(0, each.length() - 1)), each, Instant.EPOCH)));
        if (!found.prefixes().isEmpty()) {
            entries.sort(TreeEntry::compare);
        }
        page.addAll(entries);
        next = found.next();
    }

    private TreeEntry entry(ObjectInfo object) {
        String key = object.key();
        return key.endsWith("/") && object.size() == 0
                ? BucketTree.directory(relative(key.substring(0, key.length() - 1)), key, object.modified())
                : BucketTree.file(relative(key), object);
    }

    private String relative(String key) {
        String rest = key.length() < query.prefix().length() ? "" : key.substring(query.prefix().length());
        return path.isEmpty() ? rest : path + '/' + rest;
    }
}
